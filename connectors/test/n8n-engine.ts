// Installs the execution engine of n8n with the package of the nodes, and runs workflows with it.

import { existsSync } from 'node:fs'
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { NotInstalledError, runProgram } from './python-tool.ts'

const ROOT = path.join(import.meta.dirname, '..', '..')
const FOLDER = path.join(import.meta.dirname, '..', 'n8n')
const TOOL = path.join(ROOT, 'node_modules', '.cache', 'connectors', 'n8n')
const WORKFLOW = path.join(import.meta.dirname, 'n8n-workflow.cjs')
/** The npm packages of n8n's execution engine, with versions. */
export const PACKAGES = ['n8n-core@2.41.1', 'n8n-workflow@2.41.0']

/**
 * Installs the engine without its native modules, which only other nodes need, and the packed nodes as npm has them.
 * Rejects with `NotInstalledError` if npm can't install the engine.
 */
export async function installEngine(): Promise<void> {
  const npm = ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel', 'error']
  const marker = path.join(TOOL, 'packages.txt')
  try {
    if (!existsSync(marker) || (await readFile(marker, 'utf8')) !== PACKAGES.join('\n')) {
      await rm(TOOL, { recursive: true, force: true })
      await mkdir(TOOL, { recursive: true })
      await writeFile(path.join(TOOL, 'package.json'), '{"private": true}')
      await runProgram('npm', [...npm, '--save-exact', ...PACKAGES], { cwd: TOOL })
      await writeFile(marker, PACKAGES.join('\n'))
    }
  } catch (cause) {
    throw new NotInstalledError(cause instanceof Error ? cause.message : String(cause), { cause })
  }
  const packed = path.join(TOOL, 'packed')
  await rm(packed, { recursive: true, force: true })
  await runProgram(process.execPath, [path.join(ROOT, 'scripts', 'build-n8n-node.ts'), packed])
  const [file = ''] = await readdir(packed)
  await runProgram('npm', [...npm, '--no-save', '--legacy-peer-deps', path.join(packed, file)], { cwd: TOOL })
}

/**
 * Compiles a copy of the source next to the types of n8n. Rejects if a type is wrong. Call it after `installEngine`.
 */
export async function checkTypes(): Promise<void> {
  const source = path.join(TOOL, 'source')
  await rm(source, { recursive: true, force: true })
  await mkdir(source)
  for (const name of ['credentials', 'generated', 'nodes', 'tsconfig.json'])
    await cp(path.join(FOLDER, name), path.join(source, name), { recursive: true })
  const tsc = path.join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc')
  await runProgram(process.execPath, [tsc, '-p', source, '--noEmit'])
}

export interface StepNode {
  readonly type: string
  readonly parameters: Readonly<Record<string, unknown>>
  /** Settings of the node, such as `onError`. */
  readonly settings?: Readonly<Record<string, unknown>>
}

/** A workflow whose nodes run one after the other. Without nodes: a test of the credential. */
export interface Step {
  readonly id: string
  readonly nodes: readonly StepNode[]
}

export interface StepResult {
  readonly error?: { readonly name: string; readonly message: string; readonly description?: string }
  /** What each node returned, by position. Nodes that did not run are missing. */
  readonly nodes: Readonly<Record<string, NodeResult>>
  /** `OK`, or the error of the test of the credential. */
  readonly credential?: string
}

export interface NodeResult {
  readonly outputs: readonly { readonly count: number; readonly first: readonly Readonly<Record<string, unknown>>[] }[]
  readonly hints: readonly string[]
}

/** Returns the paths of the files with the rows of the copy, and with the data that n8n saves with workflows. */
export function filesOf(folder: string): { readonly copyFile: string; readonly stateFile: string } {
  return { copyFile: path.join(folder, 'copy.json'), stateFile: path.join(folder, 'state.json') }
}

/** Runs the steps in a new process, so that only stored positions continue. */
export async function runSteps(
  { url, key }: { readonly url: string; readonly key: string },
  folder: string,
  steps: readonly Step[],
): Promise<StepResult[]> {
  const resultFile = path.join(folder, 'result.json')
  const env = { N8N_USER_FOLDER: folder, N8N_LOG_LEVEL: 'silent' }
  const input = JSON.stringify({ url, key, ...filesOf(folder), resultFile, steps })
  await runProgram(process.execPath, [WORKFLOW], { cwd: TOOL, input, env })
  return JSON.parse(await readFile(resultFile, 'utf8'))
}

export const START: StepNode = { type: 'test.start', parameters: {} }

export function action(resource: string, operation: string, more: Readonly<Record<string, unknown>> = {}): StepNode {
  return { type: 'n8n-nodes-store-export.storeExport', parameters: { resource, operation, ...more } }
}

export function trigger(resource: string, includeExisting: boolean): StepNode {
  return { type: 'n8n-nodes-store-export.storeExportTrigger', parameters: { resource, includeExisting } }
}

/** Returns a node that reads or writes a table of the copy. */
export function local(type: 'read' | 'upsert' | 'replace' | 'delete', table: string): StepNode {
  return { type: `test.${type}`, parameters: { table } }
}
