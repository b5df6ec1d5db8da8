// Starts Chromium for tests, and opens pages that record problems. On Linux x64, an npm package contains Chromium with
// its libraries and fonts, so tests need no system package. On other systems, tests use an installed Chrome or
// Chromium.

import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { lstat, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { type Browser, type BrowserContext, type ConsoleMessage, chromium, type Page } from 'playwright-core'

/** The settings of a page. The default is a desktop of 1280 x 800, light, American English, UTC, with JavaScript. */
export interface PageSettings {
  readonly javaScript?: boolean
  /** In CSS pixels. */
  readonly width?: number
  /** In CSS pixels. */
  readonly height?: number
  readonly colorScheme?: 'light' | 'dark'
  /** BCP 47 tag. The browser also sends it as the accepted language. */
  readonly locale?: string
  /** Name of an IANA time zone. */
  readonly timezoneId?: string
}

/** A page in its own context, which shares no cookies with other contexts. */
export interface OpenPage {
  readonly page: Page
  readonly context: BrowserContext
  /**
   * Problems of all pages of the context, in order: console errors, uncaught exceptions, dialogs, and requests to other
   * hosts. Violations of the content security policy are console errors. These are not problems:
   * - A page asks before the user leaves it. The browser confirms the question.
   * - A document has an error status. The test checks the status.
   */
  readonly problems: readonly string[]
  close(): Promise<void>
}

/** Starts a browser. `close()` ends its process and removes its profile. Rejects if there is no Chromium. */
export async function openBrowser(): Promise<Browser> {
  const { executablePath, environment } = await findChromium()
  return chromium.launch({
    executablePath,
    // Playwright's default is no sandbox, because root and most containers can't have one. All pages come from this
    // machine.
    args: [
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
      OFFLINE,
    ],
    env: { ...process.env, ...environment },
  })
}

/** Opens an empty page in a new context. */
export async function openPage(browser: Browser, settings: PageSettings = {}): Promise<OpenPage> {
  const { javaScript = true, width = 1280, height = 800 } = settings
  const context = await browser.newContext({
    javaScriptEnabled: javaScript,
    viewport: { width, height },
    colorScheme: settings.colorScheme ?? 'light',
    locale: settings.locale ?? 'en-US',
    timezoneId: settings.timezoneId ?? 'UTC',
  })
  const problems = recordProblems(context)
  return { page: await context.newPage(), context, problems, close: () => context.close() }
}

/**
 * Returns the folder of the packaged Chromium with its libraries and fonts. The first call unpacks 210 MB below
 * `parent`, for each user and version. Any number of processes may call this at the same time.
 */
export async function unpackChromium(parent: string): Promise<string> {
  const packageUrl = import.meta.resolve('@sparticuz/chromium')
  // This import reads only the version.
  const { version } = JSON.parse(await readFile(new URL('../package.json', packageUrl), 'utf8')) as { version: string }
  const folder = path.join(parent, `store-export-browser-${process.getuid?.() ?? 0}-${version}`)
  if (existsSync(folder)) return requireOwnFolder(folder)
  // The folder gets its name when it is complete.
  const aside = await mkdtemp(`${folder}.`)
  try {
    await unpackInto(aside, packageUrl)
    await writeFile(path.join(aside, 'fonts.conf'), fontsConfiguration(folder))
    await rename(aside, folder)
  } catch (error) {
    await rm(aside, { recursive: true, force: true })
    // If the folder exists, another process was faster.
    if (!existsSync(folder)) throw new Error(`Chromium for tests can't be unpacked in ${parent}`, { cause: error })
  }
  return requireOwnFolder(folder)
}

/** Returns the usual paths of Chrome and Chromium on a system, the most likely ones first. */
export function installedBrowserPaths(platform: NodeJS.Platform, environment: NodeJS.ProcessEnv): string[] {
  if (platform === 'darwin') {
    return ['Google Chrome', 'Chromium'].map((name) => `/Applications/${name}.app/Contents/MacOS/${name}`)
  }
  if (platform === 'win32') {
    const roots = [environment.PROGRAMFILES, environment['PROGRAMFILES(X86)'], environment.LOCALAPPDATA]
    return roots.filter((root) => root !== undefined).map((root) => `${root}\\Google\\Chrome\\Application\\chrome.exe`)
  }
  return ['google-chrome', 'google-chrome-stable', 'chromium', 'chromium-browser'].map((name) => `/usr/bin/${name}`)
}

/** Makes all hosts except this machine unreachable for pages and for the browser itself. */
const OFFLINE = '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost, EXCLUDE [::1]'

interface FoundChromium {
  readonly executablePath: string
  readonly environment: Record<string, string>
}

async function findChromium(): Promise<FoundChromium> {
  const chosen = process.env.CHROME_PATH
  if (chosen !== undefined && chosen !== '') {
    if (!existsSync(chosen)) throw new Error(`CHROME_PATH: must name a Chrome or Chromium; got "${chosen}"`)
    return { executablePath: chosen, environment: {} }
  }
  if (process.platform === 'linux' && process.arch === 'x64') {
    const folder = await unpackChromium(process.env.STORE_EXPORT_TEST_BROWSERS ?? os.tmpdir())
    return { executablePath: path.join(folder, 'chromium'), environment: environmentOf(folder) }
  }
  const paths = installedBrowserPaths(process.platform, process.env)
  const executablePath = paths.find((candidate) => existsSync(candidate))
  if (executablePath === undefined) {
    throw new Error(`no Chrome or Chromium at ${paths.join(', ')}: install one, or name its program in CHROME_PATH`)
  }
  return { executablePath, environment: {} }
}

function environmentOf(folder: string): Record<string, string> {
  return {
    LD_LIBRARY_PATH: path.join(folder, 'al2023', 'lib'),
    FONTCONFIG_FILE: path.join(folder, 'fonts.conf'),
  }
}

/**
 * Returns `folder`, which contains a program. Rejects if another user created it, because all users can write to its
 * parent.
 */
async function requireOwnFolder(folder: string): Promise<string> {
  const status = await lstat(folder)
  if (!status.isDirectory() || status.uid !== process.getuid?.()) {
    throw new Error(`${folder} is not a folder of this user: remove it`)
  }
  return folder
}

/**
 * Unpacks the package in a process whose temporary folder is `folder`, because the package unpacks there. The package
 * unpacks its libraries only in the environment of AWS Lambda.
 */
async function unpackInto(folder: string, packageUrl: string): Promise<void> {
  const program = `const { default: chromium } = await import(${JSON.stringify(packageUrl)})
await chromium.executablePath()`
  await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program], {
    env: { ...process.env, TMPDIR: folder, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x', NODE_OPTIONS: '' },
  })
}

/**
 * Returns a configuration that prefers the package's fonts, so that pictures look the same on every machine. The
 * machine's fonts supply other characters.
 */
function fontsConfiguration(folder: string): string {
  const alias = (family: string, ...fonts: string[]) => {
    const preferred = fonts.map((font) => `<family>${font}</family>`).join('')
    return `<alias binding="strong"><family>${family}</family><prefer>${preferred}</prefer></alias>`
  }
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${folder}/fonts</dir>
  <dir>/usr/share/fonts</dir>
  <dir>/usr/local/share/fonts</dir>
  <cachedir>${folder}/fonts-cache</cachedir>
  ${alias('sans-serif', 'Open Sans')}
  ${alias('system-ui', 'Open Sans')}
  ${alias('monospace', 'DejaVu Sans Mono', 'Liberation Mono', 'Noto Sans Mono', 'Open Sans')}
</fontconfig>
`
}

function recordProblems(context: BrowserContext): readonly string[] {
  const problems: string[] = []
  const documents = new Set<string>()
  context.on('request', (request) => {
    const url = new URL(request.url())
    if (request.isNavigationRequest()) documents.add(request.url())
    if (!isLocal(url)) problems.push(`request to another host: ${request.method()} ${url.href}`)
  })
  context.on('console', (message) => {
    if (message.type() === 'error' && !isDocumentStatus(message, documents)) problems.push(`console: ${message.text()}`)
  })
  context.on('weberror', (thrown) => problems.push(`exception: ${thrown.error().message}`))
  context.on('dialog', (dialog) => {
    // The page waits until its dialog is closed, and may no longer exist by then.
    const closed = dialog.type() === 'beforeunload' ? dialog.accept() : dialog.dismiss()
    closed.catch(() => undefined)
    if (dialog.type() !== 'beforeunload') problems.push(`dialog: ${dialog.message()}`)
  })
  return problems
}

function isLocal({ protocol, hostname }: URL): boolean {
  return !protocol.startsWith('http') || ['127.0.0.1', 'localhost', '[::1]'].includes(hostname)
}

/** Whether a message only reports the error status of a document. */
function isDocumentStatus(message: ConsoleMessage, documents: ReadonlySet<string>): boolean {
  return message.text().includes('responded with a status of') && documents.has(message.location().url)
}
