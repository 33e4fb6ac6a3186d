import type { ReactElement } from 'react'
import type { Schema } from '../../api/api.js'
import { phrases, useTexts } from '../../texts/phrases.js'
import { CopyButton } from '../../ui/copy-button.js'
import { Loaded } from '../../ui/notes.js'
import { PageHead } from '../../ui/page-head.js'
import { useCatalog } from '../queries.js'
import { WebhookTabs } from '../webhook-tabs.js'
import { useCategories, useDescription } from './catalog-texts.js'

const TEXTS = phrases({
  en: {
    title: 'Webhook catalog',
    about: 'The events that Alcove can send, with the fields of their data. All fields of an event are always present.',
    noFields: 'The catalog does not know the fields of this type.',
    example: 'Example of a request body',
    named: 'A destination gets these only if it names them.',
  },
  de: {
    title: 'Webhook-Katalog',
    about:
      'Die Ereignisse, die Alcove senden kann, mit den Feldern ihrer Daten. Alle Felder eines Ereignisses sind immer da.',
    noFields: 'Der Katalog kennt die Felder dieses Typs nicht.',
    example: 'Beispiel für den Inhalt einer Anfrage',
    named: 'Ein Ziel bekommt diese nur, wenn es sie nennt.',
  },
})

/** The categories that a destination gets without naming them. */
const STANDARD: readonly string[] = ['run', 'agent']

/** The event types: at `/webhooks/catalog`. */
export function CatalogPage(): ReactElement {
  const texts = useTexts(TEXTS)
  const query = useCatalog()
  const categoriesOf = useCategories()
  return (
    <>
      <PageHead title={texts.title}>{texts.about}</PageHead>
      <WebhookTabs />
      <Loaded query={query}>
        {(catalog) =>
          categoriesOf(catalog).map(({ name, title, entries }) => (
            <section key={name} className="panel">
              <h2>{title}</h2>
              {!STANDARD.includes(name) && <p className="soft">{texts.named}</p>}
              {entries.map((entry) => (
                <Entry key={entry.type} entry={entry} />
              ))}
            </section>
          ))
        }
      </Loaded>
    </>
  )
}

function Entry({ entry }: { readonly entry: Schema<'CatalogEntry'> }): ReactElement {
  const texts = useTexts(TEXTS)
  const describe = useDescription()
  const fields = Object.entries(entry.data)
  const example = exampleEnvelope(entry)
  return (
    <article className="hooks-entry">
      <h3>
        <code>{entry.type}</code>
      </h3>
      <p>{describe(entry)}</p>
      {fields.length === 0 ? (
        <p className="soft">{texts.noFields}</p>
      ) : (
        <dl className="facts">
          {fields.map(([name, kind]) => (
            <div key={name} className="hooks-field">
              <dt>
                <code>{name}</code>
              </dt>
              <dd>{kind}</dd>
            </div>
          ))}
        </dl>
      )}
      <details>
        <summary>{texts.example}</summary>
        <pre>{example}</pre>
        <CopyButton text={example} />
      </details>
    </article>
  )
}

/** Values that look like those of a real event, by the name of the field. */
const BY_NAME: Readonly<Record<string, unknown>> = {
  jobKey: '3f2b8c1e-7d4a-4e6b-9a10-5c2d8e7f1a34',
  uuid: '9c1d7a52-0b3f-4d8e-8a41-6f5e2b7c9d10',
  name: 'Service desk',
  originalName: 'handbook.pdf',
  error: 'the document has no text (ERR_NO_TEXT)',
  replacement: false,
}

const BY_TYPE: Readonly<Record<string, unknown>> = {
  string: 'text',
  integer: 7,
  number: 12.5,
  boolean: true,
  array: [],
  object: {},
}

/** The body of a request with an event of a type, with invented values. */
function exampleEnvelope({ type, event_category, data }: Schema<'CatalogEntry'>): string {
  const values = Object.entries(data).map(([name, kind]) => [name, BY_NAME[name] ?? BY_TYPE[kind] ?? null])
  return JSON.stringify(
    {
      id: 'evt_01J9ZK3V6Q8R2T4W6Y8A0C2E4G',
      version: 'v1',
      type,
      event_category,
      timestamp: '2026-01-02T03:04:05.678Z',
      data: Object.fromEntries(values) as Readonly<Record<string, unknown>>,
    },
    undefined,
    2,
  )
}
