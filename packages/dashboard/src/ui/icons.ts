// Defines the icons on a grid of 16 pixels. Each icon is next to text, so screen readers skip it.

import { type Html, html } from './html.ts'

/** Icons by the name of their use. */
export const ICONS = {
  general: icon(
    html`<path d="M2.5 6.5 3.5 2.5h9l1 4M3 6.5v7h10v-7M2.5 6.5a1.8 1.8 0 0 0 3.6 0 1.9 1.9 0 0 0 3.8 0 1.8 1.8 0 0 0 3.6 0M6.5 13.5v-3h3v3"/>`,
  ),
  api: icon(html`<circle cx="5.25" cy="10.75" r="2.75"/><path d="m7.2 8.8 6.3-6.3M11 5l2 2M9.3 6.7l1.2 1.2"/>`),
  activity: icon(html`<circle cx="8" cy="8" r="5.5"/><path d="M8 4.800V8l2.200 1.500"/>`),
  members: icon(
    html`<circle cx="6" cy="5.500" r="2.300"/><path d="M1.800 13c.4-2.500 2-3.800 4.200-3.800s3.800 1.300 4.200 3.800M10.500 3.400a2.200 2.200 0 0 1 0 4.200M11.800 9.600c1.300.500 2.100 1.600 2.400 3.400"/>`,
  ),
  usage: icon(html`<path d="M2.5 13.5h11M4.5 13V9M8 13V3.5M11.5 13V6.5"/>`),
  data: icon(
    html`<ellipse cx="8" cy="4" rx="5" ry="2"/><path d="M3 4v8c0 1.1 2.2 2 5 2s5-.9 5-2V4M3 8c0 1.1 2.2 2 5 2s5-.9 5-2"/>`,
  ),
  recipes: icon(html`<path d="m5.5 5-3 3 3 3M10.5 5l3 3-3 3"/>`),
  reference: icon(
    html`<path d="M8 4.2C6.6 3.2 4.8 2.9 2.5 3v9.4c2.3-.1 4.1.2 5.5 1.2 1.4-1 3.2-1.3 5.5-1.200V3C11.2 2.9 9.4 3.2 8 4.200v9.4"/>`,
  ),
  account: icon(html`<circle cx="8" cy="5.5" r="2.5"/><path d="M3 13.500c.6-2.6 2.5-4 5-4s4.4 1.4 5 4"/>`),
  theme: icon(html`<circle cx="8" cy="8" r="5.5"/><path class="filled" d="M8 2.5a5.5 5.5 0 0 1 0 11z"/>`),
  done: icon(html`<circle cx="8" cy="8" r="6"/><path d="m5.3 8.2 1.9 1.9 3.5-4"/>`),
  problem: icon(html`<path d="M8 2 1.8 13.200h12.400z"/><path d="M8 6.500v3M8 11.400v.1"/>`),
  next: icon(html`<path d="m6 3.5 4.5 4.500L6 12.5"/>`),
  switch: icon(html`<path d="m5 6 3-3 3 3M5 10l3 3 3-3"/>`),
  download: icon(html`<path d="M8 2.500v7.500M4.8 7 8 10.2 11.2 7M2.5 13.500h11"/>`),
} as const

function icon(shape: Html): Html {
  return html`<svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false">${shape}</svg>`
}
