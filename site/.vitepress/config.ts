// The website of docs/. `npm run site` builds it.

import { cpSync, globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { Plugin } from 'vite'
import { defineConfig } from 'vitepress'
import { adaptMarkdown, githubAnchor } from '../markdown.ts'
import { readNavigation } from '../navigation.ts'

const DOCS = path.resolve(import.meta.dirname, '../../docs')
const ICON = path.resolve(import.meta.dirname, '../../packages/dashboard/src/ui/assets/icon.svg')
/** Files that pages link to and that VitePress does not copy. */
const DOWNLOADS = '**/*.{json,sql,tsv}'

const icon = `data:image/svg+xml,${encodeURIComponent(readFileSync(ICON, 'utf8'))}`
/** Address of the repository, which scripts/site.ts sets if it is known. */
const url = process.env.REPOSITORY_URL
const { sidebar, bar } = readNavigation(DOCS)

export default defineConfig({
  title: 'Store data export',
  description: 'Read-only export of every store’s data: complete, fast, and right',
  lang: 'en-US',
  srcDir: '../docs',
  outDir: 'dist',
  cacheDir: 'node_modules/.vitepress',
  ignoreDeadLinks: false,
  head: [['link', { rel: 'icon', href: icon }]],
  markdown: {
    // Headings such as "/orders/{id}" contain braces, which VitePress would read as attributes.
    attrs: { disable: true },
    anchor: { slugify: githubAnchor },
    config: (md) => adaptMarkdown(md, { docs: DOCS, repositoryUrl: url }),
  },
  vite: { plugins: [externalVue()] },
  themeConfig: {
    logo: icon,
    nav: bar,
    sidebar,
    outline: [2, 3],
    search: { provider: 'local' },
    ...(url === undefined
      ? {}
      : {
          editLink: { pattern: `${url}/edit/main/docs/:path` },
          socialLinks: [{ icon: 'github', link: url }],
        }),
  },
  // A page without sections needs no outline beside it, and its tables need the room.
  transformPageData(page) {
    const text = readFileSync(path.join(DOCS, page.relativePath), 'utf8')
    if (!/^## /m.test(text)) page.frontmatter.aside = false
  },
  buildEnd({ outDir }) {
    for (const file of globSync(DOWNLOADS, { cwd: DOCS })) cpSync(path.join(DOCS, file), path.join(outDir, file))
  },
})

/**
 * Lets Node load Vue while VitePress renders the pages. Vite would look for it above docs/, where it is not installed.
 */
function externalVue(): Plugin {
  return {
    name: 'external vue',
    enforce: 'pre',
    resolveId: (source, _, { ssr }) =>
      ssr === true && /^vue(?:\/|$)/.test(source) ? { id: source, external: true } : null,
  }
}
