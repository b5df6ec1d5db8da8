// Reads the queries of the dashboard for Grafana.

import { grafanaDashboard } from '../../scripts/monitoring/grafana-dashboard.ts'

/** A panel or a row of the dashboard. */
export interface DashboardPanel {
  readonly id: number
  readonly type: string
  readonly title: string
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
  /** Undefined for a row. */
  readonly targets?: readonly { readonly refId: string; readonly expr: string; readonly instant?: boolean }[]
  readonly fieldConfig?: {
    readonly defaults: {
      readonly unit: string
      readonly max?: number
      readonly thresholds?: { readonly steps: readonly { readonly value: number | null }[] }
    }
  }
}

/** Returns the panels and rows of the dashboard, in their order. */
export function dashboardPanels(): readonly DashboardPanel[] {
  return JSON.parse(grafanaDashboard()).panels
}

/** Returns the PromQL of every panel. */
export function dashboardQueries(): string[] {
  return dashboardPanels().flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
}
