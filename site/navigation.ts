// Derives the navigation of the website from the files of docs/ and their titles.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

/** A page, or a folder with its pages. */
export interface SidebarItem {
  readonly text: string
  readonly link?: string
  readonly collapsed?: boolean
  readonly items?: SidebarItem[]
}

/** A link of the bar above every page. */
export interface BarItem {
  readonly text: string
  readonly link: string
  /** Regular expression of the paths for which the link is marked as current. */
  readonly activeMatch: string
}

const INDEX = 'index.md'
/** Names of the top folders, in order. Other folders follow under their own names. */
const SECTIONS: Readonly<Record<string, string>> = {
  merchants: 'Merchants',
  api: 'API',
  sync: 'Sync',
  operate: 'Operate',
  concepts: 'Concepts',
  contribute: 'Contribute',
  spec: 'Specification',
}
/** Sections without a link in the bar. Pages link to them. */
const NOT_IN_BAR: readonly string[] = ['spec']

/**
 * Reads the navigation of a documentation folder: a sidebar for each top folder, and one for the other pages. Pages
 * come in the order in which index pages link them. Pages that no index page links follow by file name.
 */
export function readNavigation(docs: string): {
  readonly sidebar: Record<string, SidebarItem[]>
  readonly bar: BarItem[]
} {
  const pages = { docs, order: linkedPages(docs, '') }
  const entries = readdirSync(docs, { withFileTypes: true })
  const start = entries.filter(({ name }) => name.endsWith('.md')).map(({ name }) => name)
  const sections = entries
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => ({ name, text: SECTIONS[name] ?? capitalized(name), items: itemsOf(pages, name) }))
    .filter(({ items }) => items.length > 0)
    .toSorted((a, b) => sectionRank(a.name) - sectionRank(b.name))
  const bar = sections
    .filter(({ name }) => !NOT_IN_BAR.includes(name))
    .map(({ name, text, items }) => ({ text, link: firstLink(items), activeMatch: `^/${name}/` }))
  const startItems = sorted(pages, start).map((file) => pageItem(docs, file))
  return {
    sidebar: {
      ...Object.fromEntries(sections.map(({ name, text, items }) => [`/${name}/`, [{ text, items }]])),
      '/': [
        { text: 'Start', items: startItems },
        { text: 'Guides and reference', items: bar.map(({ text, link }) => ({ text, link })) },
      ],
    },
    bar,
  }
}

interface Pages {
  readonly docs: string
  /** Files in the order in which the index pages of the root and of the folders above link them. */
  readonly order: readonly string[]
}

/** Returns the pages of a folder, then its folders. */
function itemsOf(pages: Pages, folder: string): SidebarItem[] {
  const entries = readdirSync(path.join(pages.docs, folder), { withFileTypes: true })
  const files = entries.filter(({ name }) => name.endsWith('.md')).map(({ name }) => `${folder}/${name}`)
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => `${folder}/${name}`)
  const own = { ...pages, order: [...pages.order, ...linkedPages(pages.docs, folder)] }
  return [
    ...sorted(own, files).map((file) => pageItem(pages.docs, file)),
    ...folders.toSorted().flatMap((name) => folderItem(own, name)),
  ]
}

/** Returns a folder as one entry that opens, under the title of its index page, or under its name; none if empty. */
function folderItem(pages: Pages, folder: string): SidebarItem[] {
  const items = itemsOf(pages, folder)
  const [first] = items
  if (first === undefined) return []
  const index = `${folder}/${INDEX}`
  if (!existsSync(path.join(pages.docs, index)))
    return [{ text: capitalized(path.basename(folder)), collapsed: true, items }]
  const { text, link } = pageItem(pages.docs, index)
  const others = items.filter((item) => item.link !== link)
  return [others.length === 0 ? { text, link: link ?? '' } : { text, link: link ?? '', collapsed: true, items: others }]
}

function pageItem(docs: string, file: string): SidebarItem {
  const [, title] = /^# (.+)$/m.exec(readFileSync(path.join(docs, file), 'utf8')) ?? []
  if (title === undefined) throw new Error(`docs/${file}: expects a title, "# …"; got none`)
  const link = `/${file.replace(/(?:index)?\.md$/, '')}`
  return { text: file === INDEX ? 'Overview' : title.replaceAll('`', ''), link }
}

/** Sorts files: the index page first, then pages in the order of the links, then the others by name. */
function sorted({ order }: Pages, files: readonly string[]): string[] {
  const rank = (file: string) => {
    if (path.basename(file) === INDEX) return -1
    return order.includes(file) ? order.indexOf(file) : order.length
  }
  return files.toSorted((a, b) => rank(a) - rank(b) || a.localeCompare(b, 'en', { numeric: true }))
}

/** Returns the pages that the index page of a folder links, in order; none if the folder has no index page. */
function linkedPages(docs: string, folder: string): string[] {
  const index = path.join(docs, folder, INDEX)
  if (!existsSync(index)) return []
  const links = readFileSync(index, 'utf8').matchAll(/\]\((?![a-z]+:)([^)#]+\.md)/g)
  return [...links].map(([, link = '']) => path.posix.join(folder, link))
}

function firstLink(items: readonly SidebarItem[]): string {
  const [first] = items
  return first?.link ?? firstLink(first?.items ?? [])
}

function sectionRank(name: string): number {
  const rank = Object.keys(SECTIONS).indexOf(name)
  return rank === -1 ? Number.MAX_SAFE_INTEGER : rank
}

function capitalized(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1).replaceAll('-', ' ')
}
