// Words in the letters that mail addresses and URLs are safest with.

const FOLDED: Readonly<Record<string, string>> = { ß: 'ss', ø: 'o', Ø: 'O', ł: 'l', Ł: 'L', ı: 'i', '’': '' }

/** `text` without accents. */
export function asciiOf(text: string): string {
  return text
    .replaceAll(/[ßøØłŁı’]/g, (letter) => FOLDED[letter] ?? '')
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
}

/** Lower-case ASCII of a name, with hyphens between words. */
export function slugOf(name: string): string {
  return asciiOf(name)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
}
