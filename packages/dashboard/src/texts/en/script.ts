// Texts of the script that runs in the browser. The page passes them as JSON, so they are strings without functions.

import type { PluralTexts } from '../format.ts'

export const script = () => ({
  copy: 'Copy',
  copied: 'Copied',
  pressCopy: 'Press Ctrl+C',
  announceCopied: 'Copied to the clipboard',
  announceSelected: 'The text is selected. Press Ctrl+C to copy it',
  pending: 'Please wait…',
  moreRows: { one: '# more row', other: '# more rows' } as PluralTexts,
  rowsFailed: 'We can’t load more rows right now. Try again in a minute.',
})

export type ScriptTexts = ReturnType<typeof script>
