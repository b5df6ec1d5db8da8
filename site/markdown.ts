// Makes VitePress render Markdown as GitHub does: the anchors of headings, `<name>` in the text, and links to files and
// folders of the repository.

import { existsSync, statSync } from 'node:fs'
import path from 'node:path'
import type { MarkdownOptions } from 'vitepress'

type MarkdownIt = Parameters<NonNullable<MarkdownOptions['config']>>[0]
type Token = ReturnType<MarkdownIt['parse']>[number]

interface Repository {
  /** Folder of the documentation. */
  readonly docs: string
  /** Where files outside the documentation can be read; undefined if that is unknown. */
  readonly repositoryUrl: string | undefined
}

/** Returns the anchor that GitHub gives a heading, so that links with an anchor work in both places. */
export function githubAnchor(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-')
}

/**
 * Changes how pages are rendered:
 * - Shows `<name>` as text, because no page contains HTML, and hides comments.
 * - A link to a file outside docs/ leads to the repository. Without a known repository, it is only text.
 * - A link to a folder leads to its index page.
 */
export function adaptMarkdown(md: MarkdownIt, repository: Repository): void {
  const html = (tokens: Token[], index: number) => {
    const { content = '' } = tokens[index] ?? {}
    if (content.startsWith('<!--')) return ''
    // VitePress adds entities to headings, which must stay as they are.
    return content.startsWith('<') ? md.utils.escapeHtml(content) : content
  }
  md.renderer.rules.html_block = html
  md.renderer.rules.html_inline = html
  md.core.ruler.push('repository-links', ({ tokens, env }) => {
    const folder = path.join(repository.docs, path.dirname(String(env.relativePath)))
    for (const { children } of tokens) changeLinks(children ?? [], folder, repository)
  })
}

function changeLinks(tokens: readonly Token[], folder: string, repository: Repository): void {
  for (const [index, token] of tokens.entries()) {
    const href = token.type === 'link_open' ? token.attrGet('href') : null
    if (href === null || /^(?:[a-z]+:|#|\/)/.test(href)) continue
    const [target = '', hash] = decodeURI(href).split('#')
    const file = path.join(folder, target)
    if (!file.startsWith(repository.docs)) leadToRepository(tokens, index, { file, repository })
    else if (existsSync(file) && statSync(file).isDirectory())
      token.attrSet('href', `${target.replace(/\/?$/, '/')}${hash === undefined ? '' : `#${hash}`}`)
  }
}

function leadToRepository(
  tokens: readonly Token[],
  index: number,
  { file, repository }: { readonly file: string; readonly repository: Repository },
): void {
  const open = tokens[index]
  if (open === undefined) return
  if (repository.repositoryUrl !== undefined) {
    const name = path.relative(path.dirname(repository.docs), file).replaceAll(path.sep, '/')
    open.attrSet('href', `${repository.repositoryUrl}/blob/HEAD/${name}`)
    return
  }
  const close = tokens.slice(index).find(({ type, level }) => type === 'link_close' && level === open.level)
  for (const token of [open, close]) {
    if (token === undefined) continue
    token.attrs = null
    token.hidden = true
  }
}
