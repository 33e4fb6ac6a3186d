import type { ReactElement } from 'react'
import type { Schema } from '../../api/api.js'
import { useFormat } from '../../texts/format.js'
import { phrases, useTexts } from '../../texts/phrases.js'
import { Badge } from '../../ui/notes.js'
import { Fact } from '../fact.js'

type Model = Schema<'EngineModel'>

const TEXTS = phrases({
  en: {
    isDefault: 'default of new GPTs',
    away: 'away',
    awayText: 'The server of this model does not answer. Check it: searches and uploads with this model wait or fail.',
    place: 'Runs',
    places: { local: 'in this process', remote: 'on another server' },
    dimensions: 'Numbers in a vector',
    window: 'Tokens in a window',
    memory: 'In memory',
    loaded: 'yes',
    notLoaded: 'no: the next search loads it',
    unknown: 'unknown',
  },
  de: {
    isDefault: 'Vorgabe für neue GPTs',
    away: 'nicht erreichbar',
    awayText:
      'Der Server dieses Modells antwortet nicht. Prüfe ihn: Suchen und Uploads mit diesem Modell warten oder schlagen fehl.',
    place: 'Läuft',
    places: { local: 'in diesem Prozess', remote: 'auf einem anderen Server' },
    dimensions: 'Zahlen je Vektor',
    window: 'Tokens je Fenster',
    memory: 'Im Arbeitsspeicher',
    loaded: 'ja',
    notLoaded: 'nein: die nächste Suche lädt es',
    unknown: 'unbekannt',
  },
})

export function ModelCards({ models }: { readonly models: readonly Model[] }): ReactElement {
  const texts = useTexts(TEXTS)
  const format = useFormat()
  return (
    <ul className="cards">
      {models.map(({ id, isDefault, kind, dimensions, windowTokens, isLoaded, isAvailable }) => (
        <li key={id} className="card">
          <h3>{id}</h3>
          <div>
            {isDefault && <Badge kind="good">{texts.isDefault}</Badge>}{' '}
            {!isAvailable && <Badge kind="bad">{texts.away}</Badge>}
          </div>
          {!isAvailable && <p>{texts.awayText}</p>}
          <dl className="facts">
            <Fact name={texts.place}>{texts.places[kind]}</Fact>
            <Fact name={texts.dimensions}>{format.number(dimensions)}</Fact>
            <Fact name={texts.window}>{format.number(windowTokens)}</Fact>
            <Fact name={texts.memory}>
              {isLoaded === null ? texts.unknown : isLoaded ? texts.loaded : texts.notLoaded}
            </Fact>
          </dl>
        </li>
      ))}
    </ul>
  )
}
