// Runs each step of a job once with the execution engine of n8n, as n8n does after each poll: the nodes of a workflow,
// one after the other. A step without nodes tests the credential. Reads the job as JSON from standard input, and writes
// the results to the files that it names. The working directory has n8n-core and the package of the nodes.

const { createRequire } = require('node:module')
const { readFileSync, writeFileSync, existsSync } = require('node:fs')

const requireHere = createRequire(`${process.cwd()}/package.json`)
requireHere('reflect-metadata')
const core = requireHere('n8n-core')
const { Workflow, createRunExecutionData } = requireHere('n8n-workflow')
const requireCore = createRequire(requireHere.resolve('n8n-core'))
const { Container } = requireCore('@n8n/di')
const lodashGet = requireCore('lodash/get')

const { url, key, copyFile, stateFile, resultFile, steps } = JSON.parse(readFileSync(0, 'utf8'))
const PACKAGE = 'n8n-nodes-store-export'
/** The engine makes addresses for webhooks, which no node of this test has. */
const BASE = 'http://localhost:5678'
const SHOWN_ITEMS = 5
const CREDENTIALS = { storeExportApi: { id: '1', name: 'Store' } }

const copy = existsSync(copyFile) ? JSON.parse(readFileSync(copyFile, 'utf8')) : {}
const states = existsSync(stateFile) ? JSON.parse(readFileSync(stateFile, 'utf8')) : {}
const table = (name) => (copy[name] ??= {})

/** The nodes of this test: they stand for the nodes of a database. */
const LOCAL_NODES = {
  'test.read': {
    execute() {
      return [Object.keys(table(this.getNodeParameter('table', 0))).map((id) => ({ json: { id } }))]
    },
  },
  'test.start': {
    execute() {
      return [[{ json: {} }]]
    },
  },
  'test.upsert': {
    execute() {
      for (const { json } of this.getInputData()) table(this.getNodeParameter('table', 0))[json.id ?? 'only'] = json
      return [this.getInputData()]
    },
  },
  'test.replace': {
    execute() {
      copy[this.getNodeParameter('table', 0)] = Object.fromEntries(this.getInputData().map(({ json }) => [json.id, json]))
      return [this.getInputData()]
    },
  },
  'test.delete': {
    execute() {
      for (const { json } of this.getInputData()) delete table(this.getNodeParameter('table', 0))[json.id]
      return [this.getInputData()]
    },
  },
}

main().catch((error) => {
  console.error(error)
  process.exitCode = 1
})

async function main() {
  const loader = new core.PackageDirectoryLoader(`${process.cwd()}/node_modules/${PACKAGE}`)
  await loader.loadAll()
  const nodeTypes = nodeTypesOf(loader)
  const results = []
  for (const step of steps)
    results.push(step.nodes.length === 0 ? await testCredential(loader) : await runStep(step, { loader, nodeTypes }))
  writeFileSync(copyFile, JSON.stringify(copy))
  writeFileSync(stateFile, JSON.stringify(states))
  writeFileSync(resultFile, JSON.stringify(results))
  // Timers of the engine keep the process open.
  process.exit(0)
}

function nodeTypesOf(loader) {
  const main = { inputs: ['main'], outputs: ['main'], properties: [{ name: 'table', type: 'string', default: '' }] }
  const getByNameAndVersion = (type) => {
    if (type.startsWith(`${PACKAGE}.`)) return loader.getNode(type.slice(PACKAGE.length + 1)).type
    return { description: { name: type, group: ['transform'], version: 1, defaults: {}, ...main }, ...LOCAL_NODES[type] }
  }
  return { getByName: getByNameAndVersion, getByNameAndVersion, getKnownTypes: () => ({}) }
}

/**
 * Runs the nodes of a step, one after the other. Returns the items and hints of each node, and the error of the
 * workflow.
 */
async function runStep({ id, nodes: declared }, { loader, nodeTypes }) {
  const nodes = declared.map(({ type, parameters, settings }, at) => ({
    ...{ id: `${id}-${at}`, name: `${at}`, type, typeVersion: 1, position: [at * 200, 0], parameters, ...settings },
    ...(type.startsWith(PACKAGE) ? { credentials: CREDENTIALS } : {}),
  }))
  const connections = Object.fromEntries(
    nodes.slice(1).map((_, at) => [`${at}`, { main: [[{ node: `${at + 1}`, type: 'main', index: 0 }]] }]),
  )
  const workflow = new Workflow({
    ...{ id, name: id, nodes, connections, active: true, nodeTypes },
    ...{ staticData: states[id] ?? {}, settings: { executionOrder: 'v1', timezone: 'Europe/Berlin' } },
  })
  const start = workflow.getNode('0')
  const additionalData = additionalDataOf(loader, { workflow, nodes, connections })
  try {
    const first = nodeTypes.getByNameAndVersion(start.type).poll
      ? await poll(workflow, start, additionalData)
      : [[{ json: {} }]]
    return first === null ? { nodes: {} } : await execute(workflow, { start, first, additionalData })
  } catch (error) {
    return { error: shownError(error), nodes: {} }
  } finally {
    // n8n saves the position when it has started the execution. A failed poll leaves its changes in memory until then.
    states[id] = JSON.parse(JSON.stringify(workflow.staticData))
  }
}

/** Polls as n8n does for an active workflow. */
async function poll(workflow, node, additionalData) {
  let emitted = null
  let failed
  const context = new core.PollContext(workflow, node, additionalData, 'trigger', 'activate', (data) => {
    emitted = data
  }, (error) => {
    failed = error
  })
  await Container.get(core.PollTriggerExecutor).create(workflow, node, context, () => true)()
  if (failed !== undefined) throw failed
  return emitted
}

async function execute(workflow, { start, first, additionalData }) {
  const data = createRunExecutionData({
    executionData: { nodeExecutionStack: [{ node: start, data: { main: first }, source: null }] },
  })
  const run = await new core.WorkflowExecute(additionalData, 'trigger', data).processRunExecutionData(workflow)
  const { error, runData } = run.data.resultData
  const nodes = Object.entries(runData).map(([name, [{ data, hints = [] }]]) => [
    name,
    { outputs: (data?.main ?? []).map(shownItems), hints: hints.map(({ message }) => message) },
  ])
  return { error: error === undefined ? undefined : shownError(error), nodes: Object.fromEntries(nodes) }
}

function shownItems(items) {
  return { count: items?.length ?? 0, first: (items ?? []).slice(0, SHOWN_ITEMS).map(({ json }) => json) }
}

function shownError({ message, description, httpCode, name }) {
  return { message, description, httpCode, name }
}

/** Tests the credential as CredentialsTester of the n8n server does, which n8n-core does not contain. */
async function testCredential(loader) {
  const { test } = loader.getCredential('storeExportApi').type
  const routing = { request: test.request }
  const description = {
    ...{ name: 'test.credential', version: 1, defaults: {}, inputs: ['main'], outputs: ['main'] },
    credentials: [{ name: 'storeExportApi', required: true }],
    properties: [{ displayName: 'Temp', name: 'temp', type: 'string', default: '', routing }],
  }
  const type = { description }
  const node = {
    ...{ id: 'temp', name: 'temp', type: description.name, typeVersion: 1, position: [0, 0], parameters: {} },
    credentials: CREDENTIALS,
  }
  const nodeTypes = { getByName: () => type, getByNameAndVersion: () => type, getKnownTypes: () => ({}) }
  const workflow = new Workflow({ nodes: [node], connections: {}, active: false, nodeTypes })
  const additionalData = additionalDataOf(loader, { workflow, nodes: [node], connections: {} })
  const run = createRunExecutionData({})
  const data = { node, data: {}, source: null }
  const context = new core.ExecuteContext(
    ...[workflow, node, additionalData, 'internal', run, 0, [], { main: [[{ json: {} }]] }, data, []],
  )
  const credential = { id: '1', name: 'Store', type: 'storeExportApi', data: { url, apiKey: key } }
  try {
    const [[{ json }]] = await new core.RoutingNode(context, type, credential).runNode()
    const rule = test.rules.find(
      ({ type, properties }) => type === 'responseSuccessBody' && lodashGet(json, properties.key) === properties.value,
    )
    return { credential: rule?.properties.message ?? 'OK' }
  } catch (error) {
    const { status, statusText } = error.cause?.response ?? {}
    const rule = test.rules.find(({ type, properties }) => type === 'responseCode' && status === properties.value)
    return { credential: rule?.properties.message ?? statusText ?? error.message }
  }
}

function additionalDataOf(loader, workflowData) {
  return {
    credentialsHelper: credentialsHelper(loader),
    hooks: new core.ExecutionLifecycleHooks('trigger', '1', workflowData),
    executionId: '1',
    ...{ instanceBaseUrl: BASE, restApiUrl: BASE, webhookBaseUrl: BASE, webhookWaitingBaseUrl: BASE, formWaitingBaseUrl: BASE },
    variables: {},
    currentNodeExecutionIndex: 0,
    setExecutionStatus: () => undefined,
    sendDataToUI: () => undefined,
  }
}

/** Does what the credentials helper of the n8n server does, with one credential in place of a database. */
function credentialsHelper(loader) {
  const type = loader.getCredential('storeExportApi').type
  const credential = { url, apiKey: key }
  const resolved = (workflow, node, value) =>
    workflow.expression.getSimpleParameterValue(node, value, 'internal', { $credentials: credential }, undefined, undefined)
  return {
    getParentTypes: () => [],
    getCredentialsProperties: () => type.properties,
    isCredentialUsableByNode: () => true,
    getDecrypted: async () => credential,
    getCredentials: async () => credential,
    preAuthentication: async () => undefined,
    runPreAuthentication: async () => undefined,
    authenticate: async (_credential, _type, options, workflow, node) => {
      const headers = type.authenticate.properties.headers
      const added = Object.entries(headers).map(([name, value]) => [name, resolved(workflow, node, value)])
      return { ...options, headers: { ...options.headers, ...Object.fromEntries(added) } }
    },
  }
}
