import type { ReactElement } from 'react'
import type { Schema } from '../../api/api.js'
import { useFormat } from '../../texts/format.js'
import { type Texts, useTexts } from '../../texts/language.js'
import { Note } from '../../ui/notes.js'
import { TableScroll } from '../../ui/table-scroll.js'

type DiskPart = Schema<'DiskPart'>

interface DiskTexts {
  readonly label: string
  readonly part: string
  readonly used: string
  readonly free: string
  readonly unknown: string
  readonly about: string
  readonly low: (bytes: string) => string
  readonly parts: Readonly<Record<DiskPart['part'], string>>
}

const TEXTS: Texts<DiskTexts> = {
  en: {
    label: 'Used and free bytes by part',
    part: 'Part',
    used: 'Used',
    free: 'Free on its disk',
    unknown: 'unknown',
    about:
      'Sizes are measured once a minute. Parts on a server, such as PostgreSQL or a bucket, do not tell what is free.',
    low: (bytes) =>
      `Only ${bytes} are free on a disk. Make room or enlarge it: on a full disk, uploads are refused and processing waits. Nothing is lost.`,
    parts: { database: 'Database', files: 'Files as they were uploaded', vectors: 'Vectors', words: 'Words' },
  },
  de: {
    label: 'Belegte und freie Bytes je Teil',
    part: 'Teil',
    used: 'Belegt',
    free: 'Frei auf der Platte',
    unknown: 'unbekannt',
    about:
      'Größen werden einmal in der Minute gemessen. Teile auf einem Server wie PostgreSQL oder einem Bucket sagen nicht, was frei ist.',
    low: (bytes) =>
      `Auf einer Platte sind nur ${bytes} frei. Schaffe Platz oder vergrößere sie: Ist sie voll, werden Uploads abgelehnt, und die Verarbeitung wartet. Verloren geht nichts.`,
    parts: { database: 'Datenbank', files: 'Hochgeladene Dateien', vectors: 'Vektoren', words: 'Wörter' },
  },
}

const LOW_BYTES = 1_000_000_000

export function DiskTable({ parts }: { readonly parts: readonly DiskPart[] }): ReactElement {
  const texts = useTexts(TEXTS)
  const format = useFormat()
  const bytesOf = (bytes: number | null): string => (bytes === null ? texts.unknown : format.bytes(bytes))
  const least = Math.min(...parts.map(({ freeBytes }) => freeBytes ?? Number.POSITIVE_INFINITY))
  return (
    <>
      {least < LOW_BYTES && <Note kind="warning">{texts.low(format.bytes(least))}</Note>}
      <TableScroll label={texts.label}>
        <table>
          <thead>
            <tr>
              <th scope="col">{texts.part}</th>
              <th scope="col" className="number">
                {texts.used}
              </th>
              <th scope="col" className="number">
                {texts.free}
              </th>
            </tr>
          </thead>
          <tbody>
            {parts.map(({ part, usedBytes, freeBytes }) => (
              <tr key={part}>
                <th scope="row">{texts.parts[part]}</th>
                <td className="number">{bytesOf(usedBytes)}</td>
                <td className="number">{bytesOf(freeBytes)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </TableScroll>
      <p className="hint">{texts.about}</p>
    </>
  )
}
