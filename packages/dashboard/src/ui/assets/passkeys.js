// Lets the browser create or use a passkey when a form with `data-passkey` is sent. First the form's fields go to the
// URL of its challenge. Then the browser asks the merchant, and the form is sent with the passkey.

const isSupported = globalThis.PublicKeyCredential?.parseCreationOptionsFromJSON !== undefined

for (const form of isSupported ? document.querySelectorAll('[data-passkey]') : []) {
  form.hidden = false
  form.addEventListener('submit', (event) => {
    const { credential } = form.elements
    if (credential.value !== '') return
    event.preventDefault()
    if (form.ariaBusy !== 'true') usePasskey(form, credential)
  })
}
for (const note of isSupported ? document.querySelectorAll('[data-passkey-unsupported]') : []) note.hidden = true

async function usePasskey(form, credential) {
  const problem = form.querySelector('[role="alert"]')
  const button = form.querySelector('button')
  problem.hidden = true
  form.ariaBusy = 'true'
  button.classList.add('pending')
  const outcome = await askFor(form)
  button.classList.remove('pending')
  form.ariaBusy = null
  if (outcome.problem !== undefined) {
    problem.textContent = outcome.problem
    problem.hidden = false
    return
  }
  credential.value = outcome.credential
  // Without a credential, the response says what is wrong, for example that the form has expired.
  if (outcome.credential === '') form.submit()
  else form.requestSubmit()
}

async function askFor(form) {
  const { passkey: kind, canceled, known, failed } = form.dataset
  try {
    const body = new URLSearchParams(new FormData(form))
    const response = await fetch(`${form.getAttribute('action')}/challenge`, { method: 'POST', body })
    if (!response.headers.get('content-type').startsWith('application/json')) return { credential: '' }
    const { form_token: token, options, problem } = await response.json()
    form.elements.form_token.value = token
    if (problem !== undefined) return { problem }
    const publicKey =
      kind === 'create'
        ? PublicKeyCredential.parseCreationOptionsFromJSON(options)
        : PublicKeyCredential.parseRequestOptionsFromJSON(options)
    const credential = await navigator.credentials[kind]({ publicKey })
    return { credential: JSON.stringify(credential) }
  } catch ({ name }) {
    return { problem: { NotAllowedError: canceled, InvalidStateError: known }[name] ?? failed }
  }
}
