import type { ReactElement } from 'react'
import type { Schema } from '../../api/api.js'
import { phrases, useTexts } from '../../texts/phrases.js'
import { CopyButton } from '../../ui/copy-button.js'
import { Loaded } from '../../ui/notes.js'
import { PageHead } from '../../ui/page-head.js'
import { useCatalog } from '../queries.js'
import { WebhookTabs } from '../webhook-tabs.js'
import { useCategories, useDescription } from './catalog-texts.js'
import { exampleEnvelope } from './example-envelope.js'

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
