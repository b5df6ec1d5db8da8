// The small parts that pages are put together from. Pure: text in, HTML out.

import type { PageNotice } from '../pages/models.ts'
import { type Html, html, NOTHING } from './html.ts'
import { ICONS } from './icons.ts'

/** What a badge's colour says; its words say it too. */
export type Tone = 'good' | 'waiting' | 'bad' | 'neutral'

/** A few words about a state. */
export function badge(text: string, tone: Tone = 'neutral'): Html {
  return html`<span class="badge ${tone}">${text}</span>`
}

/** What a page says at its top. */
export interface PageHead {
  readonly title: string
  /** One or two sentences under the title. */
  readonly lead?: Html | string
  readonly actions?: Html
  readonly trail?: readonly { readonly label: string; readonly href: string }[]
}

/** The way to this page, its only h1, and what can be done with the whole of it. */
export function pageHead({ title, lead, actions, trail }: PageHead): Html {
  return html`${trail ? breadcrumbs(trail) : NOTHING}<div class="page-head">
<div><h1>${title}</h1>${lead ? html`<p class="lead">${lead}</p>` : NOTHING}</div>
${actions ? html`<div class="actions">${actions}</div>` : NOTHING}
</div>`
}

function breadcrumbs(trail: readonly { readonly label: string; readonly href: string }[]): Html {
  const steps = trail.map(({ label, href }) => html`<li><a href="${href}">${label}</a></li>`)
  return html`<nav class="trail" aria-label="Breadcrumb"><ol>${steps}</ol></nav>`
}

/** A part of a page with its own heading; `id` names it. */
export interface CardOptions {
  readonly id: string
  readonly title: string
  readonly note?: Html | string
  readonly actions?: Html
  /** For tables that reach the card's edges. */
  readonly isFlush?: boolean
}

/** A part of a page in a frame of its own. */
export function card({ id, title, note, actions, isFlush }: CardOptions, content: Html): Html {
  return html`<section class="card${isFlush ? ' flush' : ''}">
<div class="card-head"><div><h2 id="${id}">${title}</h2>${note ? html`<p class="note">${note}</p>` : NOTHING}</div>${
    actions ? html`<div class="actions">${actions}</div>` : NOTHING
  }</div>
<div class="card-body">${content}</div>
</section>`
}

/** What the page tells once. */
export function notice({ kind, text }: PageNotice): Html {
  return html`<div class="notice ${kind}" role="${kind === 'problem' ? 'alert' : 'status'}">${ICONS[kind]}<p>${text}</p></div>`
}

/** Something to know before going on; stays as long as it is so. */
export function callout(content: Html | string, tone: Tone = 'neutral'): Html {
  return html`<div class="callout ${tone}"><p>${content}</p></div>`
}

/** Says that there is nothing yet, and the next step. */
export function emptyState(heading: string, text: Html | string, next: Html = NOTHING): Html {
  return html`<div class="empty"><p class="empty-title">${heading}</p><p>${text}</p>${next}</div>`
}

/** A number worth a glance. */
export interface Tile {
  readonly label: string
  readonly value: string
  /** Such as "of 120", beside the value. */
  readonly of?: string
  readonly note?: string
  /** From 0 to 1: how full it is. */
  readonly filled?: number
}

/** Tiles side by side. */
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
  const tone = share >= 0.9 ? 'high' : 'low'
  return html`<svg class="meter ${tone}" width="100%" height="4" aria-hidden="true" focusable="false"><rect class="meter-all" width="100%" height="4" rx="2"/><rect class="meter-part" width="${(share * 100).toFixed(1)}%" height="4" rx="2"/></svg>`
}

/** Labels and what belongs to them, one a line. */
export function facts(list: readonly { readonly label: string; readonly text: Html | string }[]): Html {
  return html`<dl class="facts">${list.map(
    ({ label, text }) => html`<div><dt>${label}</dt><dd>${text}</dd></div>`,
  )}</dl>`
}
