// Generates the rules of Prometheus for the alerts, and their table in docs/operate/runbooks/index.md.

import { yamlText } from '../yaml.ts'
import { ALERTS, type Alert, CRITICAL_SHARE, type Severity, type Span } from './alerts.ts'

/** Folder of the runbooks, from the root of the documentation. */
const RUNBOOKS = 'operate/runbooks'
/**
 * Base of the addresses of runbooks: the external label `store_export_docs` of Prometheus, or the folder of this
 * repository. The rules have no fixed address, because each fork publishes its own documentation.
 */
const DOCS = '{{ with $externalLabels.store_export_docs }}{{ . }}{{ else }}docs{{ end }}'

const HEAD =
  '# Generated from scripts/monitoring/alerts.ts. Do not edit: change it and run `npm run generate`.\n' +
  '# docs/operate/monitoring.md says how to use this file.\n'

/** Returns the file of rules, in YAML. `span` writes the durations; tests pass shorter ones. */
export function alertRules(span: Span = duration): string {
  return HEAD + yamlText({ groups: [{ name: 'store-export', rules: ALERTS.map((alert) => ruleOf(alert, span)) }] })
}

/** Returns a table with a row for each alert, which links its runbook. */
export function alertsTable(): string {
  const rows = ALERTS.map(
    ({ name, severity, summary, runbook }) =>
      `| [\`${name}\`](${runbook}.md) | ${severityText(severity)} | ${summary.replaceAll(/\{\{ \$labels\.(\w+) \}\}/g, '`$1`')} |`,
  )
  return ['| Alert | Severity | Meaning |', '| --- | --- | --- |', ...rows].join('\n')
}

function ruleOf({ name, severity, expr, summary, detail = '', runbook, ...alert }: Alert, span: Span) {
  return {
    alert: name,
    expr: expr(span),
    ...(alert.for === 0 ? {} : { for: span(alert.for) }),
    labels: { severity: severityLabel(severity) },
    annotations: { summary: summary + detail, runbook_url: `${DOCS}/${RUNBOOKS}/${runbook}.md` },
  }
}

/** Returns the label of an alert. Prometheus replaces the template, which contains the value of the expression. */
function severityLabel(severity: Severity): string {
  if (severity !== 'by_share') return severity
  return `{{ if gt $value ${CRITICAL_SHARE} }}critical{{ else }}warning{{ end }}`
}

function severityText(severity: Severity): string {
  return severity === 'by_share'
    ? `critical if more than ${CRITICAL_SHARE * 100} % of all requests fail, otherwise warning`
    : severity
}

/** Returns a duration in minutes, or in seconds if they are no whole minutes. */
function duration(seconds: number): string {
  return seconds % 60 === 0 ? `${seconds / 60}m` : `${seconds}s`
}
