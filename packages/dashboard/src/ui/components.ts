// Renders the components of pages with pure functions from text to HTML. Strings are escaped, and `Html` is inserted
// unchanged.

import type { PageNotice } from '../pages/models.ts'
import type { Localization } from '../texts/languages.ts'
import { type Html, html, NOTHING } from './html.ts'
import { ICONS } from './icons.ts'

/** The color of a badge or a callout. It only repeats what the text says, so that no reader depends on the color. */
export type Tone = 'good' | 'waiting' | 'bad' | 'neutral'

/** Returns a short text with a colored background. */
export function badge(text: string, tone: Tone = 'neutral'): Html {
  return html`<span class="badge ${tone}">${text}</span>`
}

/** The top of a page: its heading, breadcrumbs, and actions. */
export interface PageHead {
  readonly title: string
  /** One or two sentences under the title. */
  readonly lead?: Html | string
  readonly actions?: Html
  /** Breadcrumbs: the pages above this page, outermost first. */
  readonly trail?: readonly { readonly label: string; readonly href: string }[]
}

/** Returns the top of a page. It has the only h1, so a page calls this once. */
export function pageHead({ texts }: Localization, { title, lead, actions, trail }: PageHead): Html {
  return html`${trail ? breadcrumbs(texts.common.breadcrumb, trail) : NOTHING}<div class="page-head">
<div><h1>${title}</h1>${lead ? html`<p class="lead">${lead}</p>` : NOTHING}</div>
${actions ? html`<div class="actions">${actions}</div>` : NOTHING}
</div>`
}

function breadcrumbs(name: string, trail: NonNullable<PageHead['trail']>): Html {
  const steps = trail.map(({ label, href }) => html`<li><a href="${href}">${label}</a></li>`)
  return html`<nav class="trail" aria-label="${name}"><ol>${steps}</ol></nav>`
}

/** A section of a page with its own heading. `id` is the heading's ID. */
export interface CardOptions {
  readonly id: string
  readonly title: string
  readonly note?: Html | string
  readonly actions?: Html
  /** Whether the card has no padding, for tables. */
  readonly isFlush?: boolean
}

/** Returns a section with a border around its content. With `NOTHING` as content, the card has only its head. */
export function card({ id, title, note, actions, isFlush }: CardOptions, content: Html): Html {
  return html`<section class="card${isFlush ? ' flush' : ''}">
<div class="card-head"><div><h2 id="${id}">${title}</h2>${note ? html`<p class="note">${note}</p>` : NOTHING}</div>${
    actions ? html`<div class="actions">${actions}</div>` : NOTHING
  }</div>
${content === NOTHING ? NOTHING : html`<div class="card-body">${content}</div>`}
</section>`
}

/** Returns the message about the last action, which is gone after a reload. */
export function notice({ kind, text }: PageNotice): Html {
  return html`<div class="notice ${kind}" role="${kind === 'problem' ? 'alert' : 'status'}">${ICONS[kind]}<p>${text}</p></div>`
}

/** Returns a message about a lasting state, which the page shows until the state changes. */
export function callout(content: Html | string, tone: Tone = 'neutral'): Html {
  return html`<div class="callout ${tone}"><p>${content}</p></div>`
}

/** Returns a message that says why a part of the page is empty, with a link or button for the next step. */
export function emptyState(heading: string, text: Html | string, next: Html = NOTHING): Html {
  return html`<div class="empty"><p class="empty-title">${heading}</p><p>${text}</p>${next}</div>`
}

/** A statistic on a page: a number and its label. */
export interface Tile {
  readonly label: string
  readonly value: string
  /** Shown next to the value, such as "of 120". */
  readonly of?: string
  readonly note?: string
  /** The filled share of a meter, from 0 to 1. */
  readonly filled?: number
}

/** Returns the tiles side by side, each with its number and label. */
export function tiles(list: readonly Tile[]): Html {
  return html`<dl class="tiles">${list.map(
    ({ label, value, of, note, filled }) => html`<div class="tile"><dt>${label}</dt>
<dd><span class="tile-value">${value}</span>${of ? html` <span class="tile-of">${of}</span>` : NOTHING}${
      filled === undefined ? NOTHING : meter(filled)
    }${note ? html`<span class="tile-note">${note}</span>` : NOTHING}</dd></div>`,
  )}</dl>`
}

function meter(filled: number): Html {
  const share = Math.min(1, Math.max(0, filled))
  // From 90 %, the color warns that a limit is near. Screen readers skip the meter, because the text says the same.
  const tone = share >= 0.9 ? 'high' : 'low'
  return html`<svg class="meter ${tone}" width="100%" height="4" aria-hidden="true" focusable="false"><rect class="meter-all" width="100%" height="4" rx="2"/><rect class="meter-part" width="${(share * 100).toFixed(1)}%" height="4" rx="2"/></svg>`
}

/** Returns a list of labels and values, one per line. */
export function facts(list: readonly { readonly label: string; readonly text: Html | string }[]): Html {
  return html`<dl class="facts">${list.map(
    ({ label, text }) => html`<div><dt>${label}</dt><dd>${text}</dd></div>`,
  )}</dl>`
}
