// Converts names to ASCII, for email addresses and URLs.

const FOLDED: Readonly<Record<string, string>> = { ß: 'ss', ø: 'o', Ø: 'O', ł: 'l', Ł: 'L', ı: 'i', '’': '' }

/** Returns the text with ASCII letters in place of letters with accents. */
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
