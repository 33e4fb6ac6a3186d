/** The part of an object that shows its type: its dictionary comes first. */
const HEAD_CHARACTERS = 4_096

/**
 * Appends a new page tree to a PDF whose own tree is lost. The new tree has all pages that are found in the file, in
 * the order of the file.
 *
 * @returns `undefined` if the file has no pages or is encrypted
 */
export function withFoundPages(pdf: Buffer): Buffer | undefined {
  const text = pdf.toString('latin1')
  if (text.includes('/Encrypt')) return undefined
  const pages: string[] = []
  let highest = 0
  for (const { 0: header, 1: number = '', 2: generation = '', index } of text.matchAll(/(\d{1,9}) (\d{1,5}) obj\b/g)) {
    highest = Math.max(highest, Number(number))
    const head = text.slice(index + header.length, index + header.length + HEAD_CHARACTERS)
    const [dictionary = ''] = head.split(/endobj|stream/, 1)
    if (/^\s*<</.test(dictionary) && /\/Type\s*\/Page(?![A-Za-z])/.test(dictionary))
      pages.push(`${number} ${generation} R`)
  }
  if (pages.length === 0) return undefined
  const tree = highest + 1
  const root = highest + 2
  const appended = [
    // Readers that scan for objects use this trailer if all others are invalid.
    `\nendobj\n${tree} 0 obj\n<</Type/Pages/Count ${pages.length}/Kids[${pages.join(' ')}]>>\nendobj`,
    `${root} 0 obj\n<</Type/Catalog/Pages ${tree} 0 R>>\nendobj`,
    `trailer\n<</Size ${root + 1}/Root ${root} 0 R>>\nstartxref\n0\n%%EOF\n`,
  ]
  return Buffer.concat([pdf, Buffer.from(appended.join('\n'))])
}
