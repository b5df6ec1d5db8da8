import { describe, expect, test } from 'vitest'
import { anchorsIn, codeIn, commandProblems, linksIn } from '../scripts/markdown-claims.ts'
import { STORE_EXPORT, STORE_SYNC } from '../scripts/programs.ts'

const PROGRAMS = [STORE_EXPORT.program, STORE_SYNC.program]
const FENCE = '```'

describe('links in Markdown', () => {
  test('linksIn returns the relative links of a Markdown page, but no absolute URLs and no links in code', () => {
    const page = `[a](b.md#c) and [d](#e) ![p](i/p.png "title")\n[f](https://example.com#x) \`[g](h.md)\`\n${FENCE}\n[i](j.md)\n${FENCE}\n[k]: l%20m.md\n<img src="n.svg">`
    expect(linksIn(page)).toEqual([
      { line: 1, path: 'b.md', anchor: 'c' },
      { line: 1, path: '', anchor: 'e' },
      { line: 1, path: 'i/p.png', anchor: null },
      { line: 6, path: 'l m.md', anchor: null },
      { line: 7, path: 'n.svg', anchor: null },
    ])
  })

  test('anchorsIn returns the anchors that GitHub gives to headings with punctuation or equal text', () => {
    const page = `# The view \`sales\`\n## Settings > API: keys\n## [Link](a.md) ##\n### Über_uns – v1.6\n${FENCE}\n# comment\n${FENCE}\n## Run\n## Run\n<a id="own"></a>`
    expect([...anchorsIn(page)]).toEqual([
      'the-view-sales',
      'settings--api-keys',
      'link',
      'über_uns--v16',
      'run',
      'run-1',
      'own',
    ])
  })
})

test('codeIn returns each inline code and each line of a code block, with continued lines joined', () => {
  const page = `Use \`a b\` or \`\`c\`\`.\n${FENCE}sh\none \\\n  two\nthree\n${FENCE}\nnot code`
  expect(codeIn(page)).toEqual([
    { line: 1, text: 'a b', isSpan: true },
    { line: 1, text: 'c', isSpan: true },
    { line: 3, text: 'one   two', isSpan: false },
    { line: 5, text: 'three', isSpan: false },
  ])
})

describe('commands in Markdown', () => {
  test.each([
    'store-export keys create --store shop-42 --name "Book --keeping"',
    'npx store-export doctor --store 6f0d5c1e-… --values   # with --all checks',
    'cat serve-*.log | store-export keys replay-revocations --from -',
    'store-sync run --url … --to xlsx:shop.xlsx --prune 2>> sync.log && other --flag',
    'docker exec api node dist/store-export.js stores list --orphans',
    'schtasks /create /tr "cmd /c store-sync run --url https://a.example --to xlsx:C:\\shop.xlsx"',
    'store-export --version',
    'store-export demo change',
    'store-export stores',
    'the store-exporter --is another program',
  ])('if the documentation contains the valid command %s, the check reports no problem', (code) => {
    expect(commandProblems(PROGRAMS, code)).toEqual([])
  })

  test.each([
    ['store-export store add', 'store-export has no command "store"'],
    ['store-export keys delete 5', 'store-export keys has no command "delete"'],
    ['store-export stores add --nam x', 'store-export stores add has no option --nam'],
    ['store-sync run --dry', 'store-sync run has no option --dry'],
    ['store-sync verify --version', 'store-sync verify has no option --version'],
    ['store-sync run --full; store-sync copy', 'store-sync has no command "copy"'],
  ])('if the documentation contains the invalid command %s, the check reports: %s', (code, problem) => {
    expect(commandProblems(PROGRAMS, code)).toEqual([problem])
  })
})
