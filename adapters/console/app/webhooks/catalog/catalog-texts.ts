import type { Schema } from '../../api/api.js'
import { phraseOf, phrases, useLanguage, useTexts } from '../../texts/phrases.js'

const CATEGORIES = phrases({
  en: { run: 'Runs', agent: 'Agents', document: 'Documents' },
  de: { run: 'Läufe', agent: 'Agenten', document: 'Dokumente' },
})

/** The server describes its types in English. */
const GERMAN: Readonly<Record<string, string>> = {
  'run.started': 'Ein Lauf hat begonnen',
  'run.completed': 'Ein Lauf ist zu Ende',
  'run.failed': 'Ein Lauf ist fehlgeschlagen',
  'agent.created': 'Ein Agent wurde erstellt',
  'agent.published': 'Eine Fassung eines Agenten wurde veröffentlicht',
  'agent.unpublished': 'Ein Agent ist nicht mehr veröffentlicht',
  'agent.enabled': 'Ein Agent wurde aktiviert',
  'agent.disabled': 'Ein Agent wurde deaktiviert',
  'agent.deleted': 'Ein Agent wurde gelöscht',
  'document.completed': 'Ein Dokument oder seine neue Version ist fertig verarbeitet',
  'document.failed': 'Ein Dokument oder seine neue Version ist fehlgeschlagen',
  'document.deleted': 'Ein Dokument wurde gelöscht',
}

type CatalogEntry = Schema<'CatalogEntry'>

interface CatalogCategory {
  readonly name: string
  readonly title: string
  readonly entries: readonly CatalogEntry[]
}

/** A function that sorts event types into their categories, in the order of the catalog. */
export function useCategories(): (catalog: readonly CatalogEntry[]) => readonly CatalogCategory[] {
  const titles = useTexts(CATEGORIES)
  return (catalog) => {
    const names = [...new Set(catalog.map((entry) => entry.event_category))]
    return names.map((name) => ({
      name,
      title: phraseOf(titles, name) ?? name,
      entries: catalog.filter((entry) => entry.event_category === name),
    }))
  }
}

/** A function that describes an event type in the language of the user. */
export function useDescription(): (entry: CatalogEntry) => string {
  const { language } = useLanguage()
  return ({ type, description }) => (language === 'de' ? GERMAN[type] : undefined) ?? description
}
