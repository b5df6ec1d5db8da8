// Texts of several pages.

import type { Duration, Format } from '../format.ts'

export const common = ({ plural, duration }: Format) => ({
  breadcrumb: 'Breadcrumb',
  copy: 'Copy',
  cancel: 'Cancel',
  noValue: 'none',
  never: 'Never',
  name: 'Name',
  requests: (count: number) => plural(count, { one: '# request', other: '# requests' }),
  rows: (count: number) => plural(count, { one: '# row', other: '# rows' }),
  every: (interval: Duration) => (interval.value === 1 ? `every ${interval.unit}` : `every ${duration(interval)}`),
})

export type CommonTexts = ReturnType<typeof common>
