// Renders forms, fields with label, hint and error, buttons, and links that look like buttons.

import type { Frame } from '../pages/models.ts'
import { type Html, html, NOTHING } from './html.ts'

/**
 * `main`: the main action. `plain`: another action. `danger`: leads to a destructive action. `danger-main`: performs
 * it.
 */
export type ButtonKind = 'main' | 'plain' | 'danger' | 'danger-main'

interface FormOptions {
  readonly action: string
  readonly frame: Frame
  /** Further attributes of the element, with a space in front. */
  readonly attributes?: Html
  /** Whether the form is hidden until a script shows it, because it needs the script; defaults to false. */
  readonly isHidden?: boolean
}

/** Returns a form that posts to `action`, with a single-use form token. */
export function form({ action, frame, attributes = NOTHING, isHidden }: FormOptions, content: Html): Html {
  return html`<form method="post" action="${action}" class="form"${attributes}${isHidden ? html` hidden` : NOTHING}>
<input type="hidden" name="form_token" value="${frame.formToken()}">
${content}
</form>`
}

/** A text field: its label, its limits, and the error message of a rejected value. */
export interface FieldOptions {
  /** Name in the form, and ID of the element. */
  readonly name: string
  readonly label: string
  readonly type?: 'text' | 'email' | 'password' | 'search' | 'date' | 'datetime-local'
  readonly value?: string
  readonly hint?: string
  /** The error message. A field with an error message is marked as invalid. */
  readonly problem?: string | null
  /** Value of the HTML attribute, such as `current-password` or `off`. */
  readonly autocomplete: string
  readonly lengthMin?: number
  readonly lengthMax?: number
  /** Defaults to true. */
  readonly isRequired?: boolean
  /** Whether the font is monospaced. */
  readonly isCode?: boolean
}

/** Returns a text field with its label, hint, and error message. A password field never contains `value`. */
export function field(options: FieldOptions): Html {
  const { name, problem } = options
  const type = options.type ?? 'text'
  const texts = [options.hint ? `${name}-hint` : '', problem ? `${name}-problem` : ''].filter((id) => id !== '')
  return html`<div class="field">
<label for="${name}">${options.label}</label>
${options.hint ? html`<p class="hint" id="${name}-hint">${options.hint}</p>` : NOTHING}
<input id="${name}" name="${name}" type="${type}" autocomplete="${options.autocomplete}"${options.isCode ? html` class="code"` : NOTHING}${
    type === 'password' ? NOTHING : html` value="${options.value ?? ''}" spellcheck="false" autocapitalize="none"`
  }${options.lengthMin ? html` minlength="${options.lengthMin}"` : NOTHING}${
    options.lengthMax ? html` maxlength="${options.lengthMax}"` : NOTHING
  }${options.isRequired === false ? NOTHING : html` required`}${
    texts.length > 0 ? html` aria-describedby="${texts.join(' ')}"` : NOTHING
  }${problem ? html` aria-invalid="true"` : NOTHING}>
${problem ? html`<p class="field-problem" id="${name}-problem">${problem}</p>` : NOTHING}
</div>`
}

/** Returns a button that sends its form. `about`, such as the name of a key, completes the label for screen readers. */
export function button(label: string, kind: ButtonKind = 'main', about?: string): Html {
  return html`<button type="submit" class="button ${kind}">${label}${hiddenText(about)}</button>`
}

/**
 * Returns a link that looks like a button. `about`, such as the name of a key, completes the label for screen readers.
 */
export function linkButton(label: string, href: string, options: { kind?: ButtonKind; about?: string } = {}): Html {
  return html`<a class="button ${options.kind ?? 'plain'}" href="${href}">${label}${hiddenText(options.about)}</a>`
}

function hiddenText(about: string | undefined): Html {
  return about === undefined ? NOTHING : html`<span class="visually-hidden"> ${about}</span>`
}
