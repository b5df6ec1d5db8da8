// What pages do better with a script: copying, forgetting a key that was shown, and keeping what refreshes itself quiet.

const announcer = () => document.getElementById('announcer')

for (const button of document.querySelectorAll('[data-copy]')) button.hidden = false

document.addEventListener('click', async (event) => {
  const button = event.target instanceof Element ? event.target.closest('[data-copy]') : null
  if (button === null) return
  const source = document.getElementById(button.dataset.copy)
  const isCopied = await copy(source)
  if (isCopied && source.matches('[data-secret]')) mayLeave = true
  const label = button.querySelector('[data-copy-label]')
  label.textContent = isCopied ? 'Copied' : 'Press Ctrl+C'
  button.classList.toggle('copied', isCopied)
  announcer().textContent = isCopied ? 'Copied to the clipboard' : 'The text is selected: copy it with Ctrl+C'
  setTimeout(() => {
    label.textContent = 'Copy'
    button.classList.remove('copied')
    announcer().textContent = ''
  }, 2500)
})

// Without TLS there is no clipboard: the text is selected then, and the browser asked the old way.
async function copy(source) {
  try {
    await navigator.clipboard.writeText(source.textContent)
    return true
  } catch {
    getSelection().selectAllChildren(source)
    return document.execCommand('copy')
  }
}

// A form is sent once: its buttons stay disabled, because a second click would send it again.
document.addEventListener('submit', (event) => {
  const form = event.target
  if (form.method !== 'post') return
  if (form.dataset.sent !== undefined) return event.preventDefault()
  form.dataset.sent = ''
  for (const button of form.querySelectorAll('button')) button.disabled = true
})

// A new key that was neither copied nor confirmed: the browser asks before it leaves the page.
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

// The key does not stay in a page that the browser keeps, and such a page is old: it is loaded again.
addEventListener('pagehide', () => {
  for (const secret of document.querySelectorAll('[data-secret]')) secret.textContent = ''
})
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) location.reload()
})

// Nothing is fetched for a page that nobody looks at.
document.addEventListener('htmx:before:request', (event) => {
  if (document.hidden && event.target.matches('[hx-trigger^="every"]')) event.preventDefault()
})

// A session that ended answers with the sign-in page: go there rather than showing it in a corner, unless somebody types.
document.addEventListener('htmx:before:swap', (event) => {
  if (!event.detail.ctx.response.raw.redirected) return
  event.preventDefault()
  if (![...document.querySelectorAll('input')].some((field) => field.value !== field.defaultValue)) location.reload()
})

// Rows that were added get the focus that their button had.
let shownRows = document.querySelectorAll('#rows > tr').length
document.addEventListener('htmx:after:swap', () => {
  const rows = document.querySelectorAll('#rows > tr')
  if (shownRows > 0 && rows.length > shownRows) {
    rows[shownRows].querySelector('a')?.focus()
    const added = rows.length - shownRows
    announcer().textContent = added === 1 ? '1 more row' : `${added} more rows`
  }
  shownRows = rows.length
})

// If the next rows fail to load, a message appears beside the button.
for (const failure of ['htmx:error', 'htmx:response:error']) {
  document.addEventListener(failure, ({ target }) => {
    if (!(target instanceof Element && target.matches('[hx-target="#rows"]'))) return
    const text = 'The next rows could not be read just now. Try again in a minute.'
    const problem = Object.assign(document.createElement('div'), { className: 'callout waiting', textContent: text })
    document.getElementById('rows-problem').replaceChildren(problem)
  })
}
