// Defines the themes, and renders the switch between them. The switch works without the script. With the script, the
// page changes without a reload, so that typed text isn't lost.

import type { Frame } from '../pages/models.ts'
import { type Html, html, NOTHING } from './html.ts'
import { ICONS } from './icons.ts'

/** The colors of the pages. `system` follows the setting of the browser or the system. */
export type Theme = (typeof THEMES)[number]

/** The themes in display order. */
export const THEMES = ['system', 'light', 'dark'] as const

/** Returns the theme with this name; `system` for other text. */
export function themeOf(text: string | undefined): Theme {
  return THEMES.find((theme) => theme === text) ?? 'system'
}

/** Returns the attribute of the document's root that overrides the setting of the system; nothing for `system`. */
export function themeAttribute({ theme }: Pick<Frame, 'theme'>): Html {
  return theme === 'system' ? NOTHING : html` data-theme="${theme}"`
}

/**
 * Returns the form that changes the theme, which is closed at first. It returns to the page in `path`. `setTheme` says
 * why the form has no token.
 */
export function themeSwitch({ theme, path, texts }: Pick<Frame, 'theme' | 'path' | 'texts'>): Html {
  const { layout: labels } = texts
  const choices = THEMES.map(
    (each) =>
      html`<button type="submit" name="theme" value="${each}" aria-pressed="${String(each === theme)}">${labels.themes[each]}</button>`,
  )
  return html`<details class="theme"><summary>${ICONS.theme}<span class="theme-label">${labels.theme}</span></summary><form method="post" action="/theme" data-theme-form><input type="hidden" name="next" value="${path}">${choices}</form></details>`
}
