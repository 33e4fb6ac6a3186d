import type { ReactElement } from 'react'
import type { Schema } from '../../api/api.js'
import { useFormat } from '../../texts/format.js'
import { phrases, useTexts } from '../../texts/phrases.js'
import { Note } from '../../ui/notes.js'
import { Row, Table } from '../../ui/table.js'
import { Fact } from '../fact.js'

type DiskPart = Schema<'DiskPart'>

const TEXTS = phrases({
  en: {
    label: 'Used bytes by part',
    part: 'Part',
    used: 'Used',
    free: 'Free on the disk',
    freeOf: (bytes: string, names: string) => `${bytes}, measured for: ${names}`,
    unknown: 'unknown',
    about:
      'Sizes are measured at most once a minute. Only files and vectors in a folder tell what is free on their disk.',
    low: (bytes: string) =>
      `Only ${bytes} are free on a disk. Make room or enlarge it: on a full disk, uploads are refused and processing waits. Nothing is lost.`,
    parts: { database: 'Database', files: 'Files as they were uploaded', vectors: 'Vectors', words: 'Words' },
  },
  de: {
    label: 'Belegter Platz je Teil',
    part: 'Teil',
    used: 'Belegt',
    free: 'Frei auf der Festplatte',
    freeOf: (bytes, names) => `${bytes}, gemessen für: ${names}`,
    unknown: 'unbekannt',
    about:
      'Größen werden höchstens einmal in der Minute gemessen. Nur Dateien und Vektoren in einem Ordner sagen, was auf ihrer Festplatte frei ist.',
    low: (bytes) =>
      `Auf einer Festplatte sind nur ${bytes} frei. Schaffe Platz oder vergrößere sie: Ist sie voll, werden Uploads abgelehnt, und die Verarbeitung wartet. Verloren geht nichts.`,
    parts: { database: 'Datenbank', files: 'Hochgeladene Dateien', vectors: 'Vektoren', words: 'Wörter' },
  },
})

const LOW_BYTES = 1_000_000_000

export function DiskTable({ parts }: { readonly parts: readonly DiskPart[] }): ReactElement {
  const texts = useTexts(TEXTS)
  const format = useFormat()
  // Parts of one disk are measured one after the other, so their bytes may differ a little.
  const known = parts.flatMap(({ part, freeBytes }) =>
    freeBytes === null ? [] : [{ name: texts.parts[part], free: format.bytes(freeBytes) }],
  )
  const freeTexts = [...new Set(known.map(({ free }) => free))].map((bytes) => {
    const names = known.filter(({ free }) => free === bytes).map(({ name }) => name)
    return texts.freeOf(bytes, names.join(', '))
  })
  const least = Math.min(...parts.map(({ freeBytes }) => freeBytes ?? Number.POSITIVE_INFINITY))
  return (
    <>
      {least < LOW_BYTES && <Note kind="warning">{texts.low(format.bytes(least))}</Note>}
      <Table label={texts.label} columns={[{ name: texts.part }, { name: texts.used, isNumber: true }]}>
        {parts.map(({ part, usedBytes }) => (
          <Row key={part} cells={[texts.parts[part], usedBytes === null ? texts.unknown : format.bytes(usedBytes)]} />
        ))}
      </Table>
      <dl className="facts">
        <Fact name={texts.free}>
          {freeTexts.length === 0 ? texts.unknown : freeTexts.map((text) => <div key={text}>{text}</div>)}
        </Fact>
      </dl>
      <p className="hint">{texts.about}</p>
    </>
  )
}
