// A real Chromium for tests: on Linux x64 the one that an npm package carries, with its libraries and fonts, so that no
// system package is needed; elsewhere an installed one. And pages that note whatever a page must not do.

import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { lstat, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { type Browser, type BrowserContext, type ConsoleMessage, chromium, type Page } from 'playwright-core'

/** How a page is opened; the defaults are a desktop of 1280 x 800, light, American English, UTC, with JavaScript. */
export interface PageSettings {
  readonly javaScript?: boolean
  /** CSS pixels. */
  readonly width?: number
  /** CSS pixels. */
  readonly height?: number
  readonly colorScheme?: 'light' | 'dark'
  /** BCP 47 tag, sent as the accepted language too. */
  readonly locale?: string
  /** IANA name. */
  readonly timezoneId?: string
}

/** A page in a context of its own: no cookie is shared with another. */
export interface OpenPage {
  readonly page: Page
  readonly context: BrowserContext
  /**
   * Problems of all pages of the context, in order: console errors, which include violations of the content security
   * policy, uncaught exceptions, dialogs, and requests to hosts other than this machine. Two things are not problems:
   * - A page asks before the user leaves it. The browser confirms the question.
   * - A document has an error status. The test expects the status itself.
   */
  readonly problems: readonly string[]
  close(): Promise<void>
}

/** A browser that runs; `close()` ends its process and removes its profile. Throws where no Chromium is to be had. */
export async function openBrowser(): Promise<Browser> {
  const { executablePath, environment } = await findChromium()
  return chromium.launch({
    executablePath,
    // its pages are our own and come from this machine: no sandbox, which root and most containers cannot have
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

/** A blank page of a new context. */
export async function openPage(browser: Browser, settings: PageSettings = {}): Promise<OpenPage> {
  const { javaScript = true, width = 1280, height = 800 } = settings
  const context = await browser.newContext({
    javaScriptEnabled: javaScript,
    viewport: { width, height },
    colorScheme: settings.colorScheme ?? 'light',
    locale: settings.locale ?? 'en-US',
    timezoneId: settings.timezoneId ?? 'UTC',
  })
  const problems = noteProblems(context)
  return { page: await context.newPage(), context, problems, close: () => context.close() }
}

/**
 * Folder of the package's Chromium with its libraries and fonts, unpacked below `parent` by the first who asks: 210 MB
 * for each user and version. Any number of processes may ask at once.
 */
export async function unpackChromium(parent: string): Promise<string> {
  const packageUrl = import.meta.resolve('@sparticuz/chromium')
  // only its version is read
  const { version } = JSON.parse(await readFile(new URL('../package.json', packageUrl), 'utf8')) as { version: string }
  const folder = path.join(parent, `store-export-browser-${process.getuid?.() ?? 0}-${version}`)
  if (existsSync(folder)) return refuseForeign(folder)
  // complete or not there: unpacked aside, then renamed
  const aside = await mkdtemp(`${folder}.`)
  try {
    await unpackInto(aside, packageUrl)
    await writeFile(path.join(aside, 'fonts.conf'), fontsConfiguration(folder))
    await rename(aside, folder)
  } catch (error) {
    await rm(aside, { recursive: true, force: true })
    // another process was faster; any other failure is one
    if (!existsSync(folder))
      throw new Error(`the Chromium of the tests cannot be unpacked in ${parent}`, { cause: error })
  }
  return refuseForeign(folder)
}

/** Where an installed Chrome or Chromium usually is, the likeliest first. */
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

/** No name is looked up and no address reached but this machine's, whatever a page or the browser itself asks for. */
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

/** `folder`, unless another user made it: it holds a program, and anybody may write to a temporary folder. */
async function refuseForeign(folder: string): Promise<string> {
  const status = await lstat(folder)
  if (!status.isDirectory() || status.uid !== process.getuid?.()) {
    throw new Error(`${folder} is not a folder of this user: remove it`)
  }
  return folder
}

/**
 * The package unpacks into the temporary folder of its process, so it gets a process of its own; and its libraries
 * only where it believes itself on Amazon Linux.
 */
async function unpackInto(folder: string, packageUrl: string): Promise<void> {
  const program = `const { default: chromium } = await import(${JSON.stringify(packageUrl)})
await chromium.executablePath()`
  await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program], {
    env: { ...process.env, TMPDIR: folder, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x', NODE_OPTIONS: '' },
  })
}

/** The package's fonts first, so that pictures look alike everywhere; the machine's for what those lack. */
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

function noteProblems(context: BrowserContext): readonly string[] {
  const problems: string[] = []
  const documents = new Set<string>()
  context.on('request', (request) => {
    const url = new URL(request.url())
    if (request.isNavigationRequest()) documents.add(request.url())
    if (!isOwn(url)) problems.push(`request to another host: ${request.method()} ${url.href}`)
  })
  context.on('console', (message) => {
    if (message.type() === 'error' && !isStatus(message, documents)) problems.push(`console: ${message.text()}`)
  })
  context.on('weberror', (thrown) => problems.push(`exception: ${thrown.error().message}`))
  context.on('dialog', (dialog) => {
    // a page waits for the answer; it may have been closed meanwhile
    const answered = dialog.type() === 'beforeunload' ? dialog.accept() : dialog.dismiss()
    answered.catch(() => undefined)
    if (dialog.type() !== 'beforeunload') problems.push(`dialog: ${dialog.message()}`)
  })
  return problems
}

function isOwn({ protocol, hostname }: URL): boolean {
  return !protocol.startsWith('http') || ['127.0.0.1', 'localhost', '[::1]'].includes(hostname)
}

/** Whether the browser only says that a document came with an error status. */
function isStatus(message: ConsoleMessage, documents: ReadonlySet<string>): boolean {
  return message.text().includes('responded with a status of') && documents.has(message.location().url)
}
