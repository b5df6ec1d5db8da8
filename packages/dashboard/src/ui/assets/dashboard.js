// Enhances the pages: copying, the theme, forms and downloads in progress, secrets, refreshes, charts, and frames.

const announcer = () => document.getElementById('announcer')
const texts = JSON.parse(announcer().dataset.texts)

for (const button of document.querySelectorAll('[data-copy]')) button.hidden = false

document.addEventListener('click', async (event) => {
  const button = event.target instanceof Element ? event.target.closest('[data-copy]') : null
  if (button === null) return
  const source = document.getElementById(button.dataset.copy)
  const isCopied = await copy(source)
  if (isCopied && source.matches('[data-secret]')) mayLeave = true
  const label = button.querySelector('[data-copy-label]')
  label.textContent = isCopied ? texts.copied : texts.pressCopy
  button.classList.toggle('copied', isCopied)
  announcer().textContent = isCopied ? texts.announceCopied : texts.announceSelected
  setTimeout(() => {
    label.textContent = texts.copy
    button.classList.remove('copied')
    announcer().textContent = ''
  }, 2500)
})

// Without TLS or permission, the clipboard API fails, so this function selects the text and uses the old command.
async function copy(source) {
  try {
    await navigator.clipboard.writeText(source.textContent)
    return true
  } catch {
    getSelection().selectAllChildren(source)
    return document.execCommand('copy')
  }
}

// Changes the theme without a reload. The response has the cookie for the next pages.
document.addEventListener('submit', async (event) => {
  const { target: form, submitter } = event
  if (!form.matches('[data-theme-form]')) return
  event.preventDefault()
  const theme = submitter.value
  const body = new URLSearchParams({ theme })
  const sent = await fetch(form.action, { method: 'POST', body }).catch(() => null)
  if (sent?.status !== 204) return
  const root = document.documentElement
  if (theme === 'system') delete root.dataset.theme
  else root.dataset.theme = theme
  document.querySelector('meta[name="color-scheme"]').content = theme === 'system' ? 'light dark' : theme
  for (const button of form.querySelectorAll('button')) button.ariaPressed = String(button === submitter)
})

// Closes the choice of the theme after a press of Escape, or a click elsewhere.
const closeTheme = (except) => {
  for (const open of document.querySelectorAll('.theme[open]')) {
    if (open === except) continue
    if (open.contains(document.activeElement)) open.querySelector('summary').focus()
    open.open = false
  }
}
document.addEventListener('click', ({ target }) => closeTheme(target instanceof Element && target.closest('.theme')))
document.addEventListener('keydown', ({ key }) => {
  if (key === 'Escape') closeTheme(null)
})

// Shows that a form or a download is in progress, so that a second click doesn't send it again. The dashboard responds
// to a form within 15 seconds. If the merchant stops the request before, the button works again after 20 seconds.
const PENDING_MS = 20_000

function setPending(element, controls) {
  element.dataset.sent = ''
  for (const control of controls) control.setAttribute('aria-disabled', 'true')
  announcer().textContent = texts.pending
  setTimeout(() => endPending(element), PENDING_MS)
}

function endPending(element) {
  if (element.dataset.sent === undefined) return
  delete element.dataset.sent
  for (const control of [element, ...element.querySelectorAll('button')]) {
    control.removeAttribute('aria-disabled')
    control.classList.remove('pending')
  }
  announcer().textContent = ''
}

document.addEventListener('submit', (event) => {
  const { target: form, submitter } = event
  if (event.defaultPrevented) return
  if (form.dataset.sent !== undefined) return event.preventDefault()
  setPending(form, form.querySelectorAll('button'))
  submitter?.classList.add('pending')
})

// The response to a download has a cookie with the token of the link.
document.addEventListener('click', (event) => {
  const link = event.target instanceof Element ? event.target.closest('a[download]') : null
  if (link === null) return
  if (link.dataset.sent !== undefined) return event.preventDefault()
  const href = link.getAttribute('href')
  const token = Date.now().toString(36)
  const url = new URL(link.href)
  url.searchParams.set('started', token)
  link.href = url
  setTimeout(() => link.setAttribute('href', href))
  setPending(link, [link])
  link.classList.add('pending')
  const timer = setInterval(() => {
    if (link.dataset.sent !== undefined && !document.cookie.includes(`download_started=${token}`)) return
    clearInterval(timer)
    endPending(link)
  }, 100)
})

// The browser asks before it leaves a page with a new key or recovery codes that were neither copied nor confirmed.
let mayLeave = document.querySelector('[data-secret]') === null
const isInKey = (node) => Boolean((node instanceof Element ? node : node?.parentElement)?.closest('[data-secret]'))
document.addEventListener('copy', () => {
  const { anchorNode, focusNode } = getSelection()
  if (isInKey(anchorNode) || isInKey(focusNode)) mayLeave = true
})
document.addEventListener('click', ({ target }) => {
  if (target instanceof Element && target.closest('a[href$="?copied"]') !== null) mayLeave = true
})
addEventListener('beforeunload', (event) => {
  if (!mayLeave) event.preventDefault()
})

// Removes secrets when the browser hides the page, because the browser can restore the page from its cache. A restored
// page reloads.
addEventListener('pagehide', () => {
  for (const secret of document.querySelectorAll('[data-secret]')) secret.textContent = ''
})
addEventListener('pageshow', ({ persisted }) => {
  for (const sent of document.querySelectorAll('[data-sent]')) endPending(sent)
  if (persisted) location.reload()
})

// Prevents a page in the background from refreshing itself.
document.addEventListener('htmx:before:request', (event) => {
  if (document.hidden && event.target.matches('[hx-trigger^="every"]')) event.preventDefault()
})

// After the session has ended, a refresh gets the sign-in page. Reload instead of inserting it, unless a field has
// changes.
document.addEventListener('htmx:before:swap', (event) => {
  if (!event.detail.ctx.response.raw.redirected) return
  event.preventDefault()
  const isTyped = [...document.querySelectorAll('input')].some(
    (field) => field.value !== field.defaultValue || field.checked !== field.defaultChecked,
  )
  const isSelected = [...document.querySelectorAll('option')].some(
    (option) => option.selected !== option.defaultSelected,
  )
  if (!isTyped && !isSelected) location.reload()
})

// Moves the focus from the button to the first row that it added.
let shownRows = document.querySelectorAll('#rows > tr').length
document.addEventListener('htmx:after:swap', () => {
  const rows = document.querySelectorAll('#rows > tr')
  if (shownRows > 0 && rows.length > shownRows) {
    rows[shownRows].querySelector('a')?.focus()
    const added = rows.length - shownRows
    announcer().textContent = plural(added, texts.moreRows)
  }
  shownRows = rows.length
})

// Returns the text for the plural category of the number, with the number in place of #.
function plural(value, forms) {
  const { lang } = document.documentElement
  const form = forms[new Intl.PluralRules(lang).select(value)] ?? forms.other
  return form.replace('#', new Intl.NumberFormat(lang).format(value))
}

// Shows a message next to the button if the next rows fail to load.
for (const failure of ['htmx:error', 'htmx:response:error']) {
  document.addEventListener(failure, ({ target }) => {
    if (!(target instanceof Element && target.matches('[hx-target="#rows"]'))) return
    const content = { className: 'callout waiting', textContent: texts.rowsFailed }
    const problem = Object.assign(document.createElement('div'), content)
    document.getElementById('rows-problem').replaceChildren(problem)
  })
}

// Moves the focus between the bars of a chart. Escape hides the tooltip until the pointer or the focus reaches a bar.
for (const bars of document.querySelectorAll('.bars')) bars.setAttribute('aria-description', bars.dataset.keys)

document.addEventListener('keydown', (event) => {
  if (event.key === 'Escape') {
    for (const bars of document.querySelectorAll('.bars')) bars.dataset.dismissed = ''
    return
  }
  const bar = event.target instanceof Element ? event.target.closest('.bar') : null
  if (bar === null || event.altKey || event.ctrlKey || event.metaKey) return
  const list = [...bar.parentElement.children]
  const at = list.indexOf(bar)
  const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: list.length - 1 }[event.key]
  if (to === undefined) return
  event.preventDefault()
  list[to]?.focus()
})

for (const kind of ['focusin', 'pointerover']) {
  document.addEventListener(kind, ({ target }) => {
    const bar = target instanceof Element ? target.closest('.bar') : null
    if (bar === null) return
    delete bar.parentElement.dataset.dismissed
    if (kind !== 'focusin') return
    for (const other of bar.parentElement.children) other.tabIndex = other === bar ? 0 : -1
  })
}

// Signs in with a one-time link if another page frames the dashboard, which only allowed pages can.
if (window.top !== window) document.querySelector('[data-send-in-frame]')?.requestSubmit()
