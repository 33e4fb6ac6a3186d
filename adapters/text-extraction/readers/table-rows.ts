/** The text of table rows, for all file formats. */

/** A row as text. Every cell has the header of its column: `City: Oslo; Country: Norway`. */
export function rowText(row: readonly string[], header: readonly string[] | undefined): string {
  const cells = row.map((cell, column) => {
    const name = header?.[column]?.trim() ?? ''
    return name === '' || cell.trim() === '' ? cell : `${name}: ${cell}`
  })
  return cells.filter((cell) => cell.trim() !== '').join('; ')
}

/** Headers are words, and all of them differ. */
export function looksLikeHeader(row: readonly string[]): boolean {
  const names = row.map((cell) => cell.trim()).filter((cell) => cell !== '')
  if (names.length === 0 || names.length * 2 < row.length || new Set(names).size < names.length) return false
  return names.every((name) => name.length <= 100 && !/^[\d.,:/%$€£+-]+$/.test(name))
}
