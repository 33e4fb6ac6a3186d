/** A document whose versions tell their numbers: in the name of the file, and in the text. */

const PARAGRAPHS = 5

/** Most paragraphs are those of all versions, so their vectors are used again. */
export function textOf(version: number): string {
  const paragraphs = Array.from({ length: PARAGRAPHS }, (_, number) => {
    const edit = number === 2 ? `Edition ${version} says so.` : 'Every edition says so.'
    return `The heron of shore ${number} nests in reeds and eats fish of pond ${number}. ${edit}`
  })
  return `${paragraphs.join('\n\n')}\n\nThe heron ends edition ${version}.`
}

export function nameOf(version: number): string {
  return `manual-${version}.txt`
}

export function versionOf(name: string): number {
  return Number(/manual-(\d+)\.txt/.exec(name)?.[1])
}

/** The version that a part of the text names; undefined if all versions have this part. */
export function versionIn(content: string): number | undefined {
  const edition = /edition (\d+)/i.exec(content)?.[1]
  return edition === undefined ? undefined : Number(edition)
}
