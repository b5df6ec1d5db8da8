// Converts names to ASCII, for email addresses and URLs.

/** Characters that have no decomposition into an ASCII letter and a mark. The apostrophe is left out. */
const FOLDED: Readonly<Record<string, string>> = { ß: 'ss', ø: 'o', Ø: 'O', ł: 'l', Ł: 'L', ı: 'i', '’': '' }

/** Returns the text with ASCII letters in place of letters with accents, and of those in `FOLDED`. */
export function asciiOf(text: string): string {
  return text
    .replaceAll(/[ßøØłŁı’]/g, (letter) => FOLDED[letter] ?? '')
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
}

/** Returns the name in lowercase ASCII, with hyphens between its words. */
export function slugOf(name: string): string {
  return asciiOf(name)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
}
