import type { CommonTexts } from '../en/common.ts'
import type { Format } from '../format.ts'

export const common = ({ plural, duration }: Format): CommonTexts => ({
  breadcrumb: 'Navigationspfad',
  copy: 'Kopieren',
  cancel: 'Abbrechen',
  noValue: 'leer',
  never: 'Noch nie',
  name: 'Name',
  requests: (count) => plural(count, { one: '# Anfrage', other: '# Anfragen' }),
  rows: (count) => plural(count, { one: '# Zeile', other: '# Zeilen' }),
  every: (interval) => {
    if (interval.value > 1) return `alle ${duration(interval)}`
    return { minute: 'jede Minute', hour: 'jede Stunde', day: 'jeden Tag', week: 'jede Woche' }[interval.unit]
  },
})
