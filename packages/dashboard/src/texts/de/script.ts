import type { ScriptTexts } from '../en/script.ts'

export const script = (): ScriptTexts => ({
  copy: 'Kopieren',
  copied: 'Kopiert',
  pressCopy: 'Strg+C drücken',
  announceCopied: 'In die Zwischenablage kopiert',
  announceSelected: 'Der Text ist markiert. Drücken Sie Strg+C, um ihn zu kopieren',
  pending: 'Bitte warten…',
  moreRows: { one: '# weitere Zeile', other: '# weitere Zeilen' },
  rowsFailed: 'Weitere Zeilen lassen sich gerade nicht laden. Versuchen Sie es in einer Minute noch einmal.',
})
