import { useQuery } from '@tanstack/react-query'
import type { ReactElement } from 'react'
import { AlcoveApiError, type AlcoveClient, type Schema, useApi } from '../../api/api.js'
import { phraseOf, phrases, useTexts } from '../../texts/phrases.js'
import { Loaded } from '../../ui/notes.js'

const TEXTS = phrases({
  en: {
    health: 'Health',
    good: 'Everything works: database, files, both indexes and the models.',
    bad: 'Something does not work, so requests fail:',
    failed: (name: string, code: string) => `${name} answers with an error (${code}).`,
    late: (name: string) => `${name} did not answer within 2 seconds.`,
    unknownAdvice: 'Look for its error in the log of the server.',
    /** By name of the port. */
    ports: {
      storage: {
        name: 'The database',
        /** The remedy if it does not work. */
        advice:
          'Check that the PostgreSQL server runs and can be reached, or that the disk of the data folder is there.',
      },
      vectorIndex: {
        name: 'The index of vectors',
        /** The remedy if it does not work. */
        advice: 'Check the disk of the data folder, or the PostgreSQL server with pgvector.',
      },
      lexicalIndex: {
        name: 'The index of words',
        /** The remedy if it does not work. */
        advice: 'Check the disk of the data folder, or the PostgreSQL server.',
      },
      fileStore: {
        name: 'The store of files',
        /** The remedy if it does not work. */
        advice: 'Check the disk of the data folder, or the bucket and its credentials.',
      },
      embeddingModels: {
        name: 'An embedding model',
        /** The remedy if it does not work. */
        advice: 'Below is which. Check its server, or run "alcove doctor" for a model on this machine.',
      },
    },
  },
  de: {
    health: 'Verfügbarkeit',
    good: 'Alles funktioniert: Datenbank, Dateien, beide Indexe und die Modelle.',
    bad: 'Etwas funktioniert nicht, deshalb schlagen Anfragen fehl:',
    failed: (name, code) => `${name} antwortet mit einem Fehler (${code}).`,
    late: (name) => `${name} hat nicht innerhalb von 2 Sekunden geantwortet.`,
    unknownAdvice: 'Suche den Fehler im Log des Servers.',
    ports: {
      storage: {
        name: 'Die Datenbank',
        advice:
          'Prüfe, ob der PostgreSQL-Server läuft und erreichbar ist, oder ob die Festplatte des Datenordners da ist.',
      },
      vectorIndex: {
        name: 'Der Index der Vektoren',
        advice: 'Prüfe die Festplatte des Datenordners, oder den PostgreSQL-Server mit pgvector.',
      },
      lexicalIndex: {
        name: 'Der Index der Wörter',
        advice: 'Prüfe die Festplatte des Datenordners, oder den PostgreSQL-Server.',
      },
      fileStore: {
        name: 'Der Speicher der Dateien',
        advice: 'Prüfe die Festplatte des Datenordners, oder den Bucket und seine Zugangsdaten.',
      },
      embeddingModels: {
        name: 'Ein Embedding-Modell',
        advice:
          'Unten steht, welches. Prüfe seinen Server, oder starte „alcove doctor“ für ein Modell auf dieser Maschine.',
      },
    },
  },
})

const POLL_MS = 5_000

/** The state of each part of the server. */
export function HealthPanel(): ReactElement {
  const texts = useTexts(TEXTS)
  const api = useApi()
  const query = useQuery({
    queryKey: ['health'],
    queryFn: async ({ signal }) => await healthOf(api, signal),
    refetchInterval: ({ state }) => (state.data === undefined ? false : POLL_MS),
  })
  return (
    <section className="panel operate-panel">
      <h2>{texts.health}</h2>
      <div role="status">
        <Loaded query={query}>{(health) => <Ports ports={health.ports} />}</Loaded>
      </div>
    </section>
  )
}

function Ports({ ports }: { readonly ports: Schema<'Health'>['ports'] }): ReactElement {
  const texts = useTexts(TEXTS)
  const failed = Object.entries(ports).filter(([, state]) => state !== 'ok')
  if (failed.length === 0) return <div className="note note-success">{texts.good}</div>
  return (
    <div className="note note-error">
      <p>{texts.bad}</p>
      <ul>
        {failed.map(([port, code]) => {
          const { name, advice } = phraseOf(texts.ports, port) ?? { name: port, advice: texts.unknownAdvice }
          return (
            <li key={port}>
              {code === 'ERR_TIMEOUT' ? texts.late(name) : texts.failed(name, code)} {advice}
            </li>
          )
        })}
      </ul>
    </div>
  )
}

/** The status 503 is an answer too: it says what does not work. @throws AlcoveApiError for every other failure */
async function healthOf(api: AlcoveClient, signal: AbortSignal): Promise<Schema<'Health'>> {
  const { data, error, response } = await api.GET('/health', { signal })
  if (data !== undefined) return data
  if (typeof error === 'object' && 'ports' in error) return error
  throw new AlcoveApiError(typeof error === 'object' ? error : {}, response)
}
