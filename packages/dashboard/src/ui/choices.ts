// Renders fields in which the merchant chooses: radio buttons, checkboxes, and selections.

import { type Html, html, NOTHING } from './html.ts'

/** A value that can be chosen, and its label. */
export interface Option {
  readonly value: string
  readonly label: string
  /** BCP 47 tag of the label's language; absent if it is the language of the page. */
  readonly language?: string
}

/** Returns a group of radio buttons, in which `value` is chosen. `after` follows the last button. */
export function radioGroup(options: {
  readonly name: string
  readonly legend: string
  readonly options: readonly Option[]
  readonly value: string
  readonly after?: Html
}): Html {
  const { name, legend, value, after } = options
  const radios = options.options.map(
    (option) =>
      html`<label class="choice"><input type="radio" name="${name}" value="${option.value}"${checked(option.value === value)}> ${option.label}</label>`,
  )
  return html`<fieldset class="choices"><legend>${legend}</legend>${radios}${after ?? NOTHING}</fieldset>`
}

/** A choice that is a tile, with a note below its label. */
export interface TileOption extends Option {
  readonly note: string
}

/** Returns a group of radio buttons as tiles side by side. */
export function radioTiles(options: {
  readonly name: string
  readonly legend: string
  readonly options: readonly TileOption[]
  readonly value: string
}): Html {
  const { name, legend, value } = options
  const choices = options.options.map(
    (option) =>
      html`<label class="choice-tile"><input type="radio" name="${name}" value="${option.value}"${checked(option.value === value)}><span><strong>${option.label}</strong> <span class="note">${option.note}</span></span></label>`,
  )
  return html`<fieldset class="choices"><legend>${legend}</legend><div class="choice-tiles">${choices}</div></fieldset>`
}

/** Returns a checkbox with its label. If it is checked, the form has the value `on` for it. */
export function checkbox(options: {
  readonly name: string
  readonly label: string
  readonly isChecked: boolean
  readonly hint?: string
}): Html {
  const { name, label, isChecked, hint } = options
  const described = hint === undefined ? NOTHING : html` aria-describedby="${name}-hint"`
  const box = html`<label class="choice"><input type="checkbox" name="${name}" value="on"${checked(isChecked)}${described}> ${label}</label>`
  return hint === undefined ? box : html`<div>${box}<p class="hint" id="${name}-hint">${hint}</p></div>`
}

/** Returns a drop-down list with its label, in which `value` is chosen. */
export function selection(options: {
  readonly name: string
  readonly label: string
  readonly options: readonly Option[]
  readonly value: string
}): Html {
  const { name, label, value } = options
  const list = options.options.map(
    (option) =>
      html`<option value="${option.value}"${option.language === undefined ? NOTHING : html` lang="${option.language}"`}${option.value === value ? html` selected` : NOTHING}>${option.label}</option>`,
  )
  return html`<div class="field"><label for="${name}">${label}</label><select id="${name}" name="${name}">${list}</select></div>`
}

function checked(isChecked: boolean): Html {
  return isChecked ? html` checked` : NOTHING
}
