// Generates the tables of docs/operate/metrics-and-events.md: metrics and log events, from their declarations.

import { EVENTS } from '../../packages/operator/src/events.ts'
import { METRICS, type MetricDeclaration } from '../../packages/operator/src/metric-declarations.ts'

/** Returns a table with a row for each metric: its type, labels, and meaning. */
export function metricsTable(): string {
  const metrics: readonly MetricDeclaration[] = Object.values(METRICS)
  const rows = metrics.map(({ name, type, help, labels }) => {
    const meanings = Object.entries(labels).map(([label, values]) => `\`${label}\`: ${values}`)
    return `| \`${name}\` | ${type} | ${help} | ${meanings.join('<br>')} |`
  })
  return ['| Metric | Type | Meaning | Labels |', '| --- | --- | --- | --- |', ...rows].join('\n')
}

/** Returns a table with a row for each log event: its level and meaning. */
export function eventsTable(): string {
  const rows = Object.entries(EVENTS).map(([name, { level, meaning }]) => `| \`${name}\` | ${level} | ${meaning} |`)
  return ['| Event | Level | Meaning |', '| --- | --- | --- |', ...rows].join('\n')
}
