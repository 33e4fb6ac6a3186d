import type { Texts } from '../../texts/language.js'

interface QuotasTexts {
  readonly title: string
  readonly about: string
  readonly none: string
  readonly noneText: string
  readonly more: string
  readonly number: (id: number) => string
  readonly disabled: string
  readonly limits: Readonly<Record<'contexts' | 'users' | 'apiKeys' | 'destinations', string>>
  readonly of: (used: string, limit: string) => string
  readonly full: (name: string) => string
  readonly documents: string
  readonly bytes: string
  readonly largest: string
  readonly noContexts: string
  readonly gpt: (id: number) => string
  readonly settings: string
  readonly settingsOf: (name: string) => string
  readonly columns: readonly [gpt: string, documents: string, size: string]
}

export const QUOTAS_TEXTS: Texts<QuotasTexts> = {
  en: {
    title: 'Quotas',
    about: 'What each of your companies uses, beside its limits. Companies below a company count by themselves.',
    none: 'No company',
    noneText: 'You manage no company. Somebody who does can give you the right.',
    more: 'Show more companies',
    number: (id) => `Number ${id}`,
    disabled: 'disabled',
    limits: { contexts: 'GPTs', users: 'Users', apiKeys: 'API keys in use', destinations: 'Destinations of webhooks' },
    of: (used, limit) => `${used} of ${limit}`,
    full: (name) => `${name}: the limit is reached. Delete what nobody needs.`,
    documents: 'Documents',
    bytes: 'Their size',
    largest: 'Largest GPTs',
    noContexts:
      'This company has no GPTs yet. The largest ones appear here, with the share of their size that is used.',
    gpt: (id) => `GPT ${id}`,
    settings: 'Settings',
    settingsOf: (name) => `Settings of ${name}`,
    columns: ['GPT', 'Documents', 'Size'],
  },
  de: {
    title: 'Kontingente',
    about: 'Was jede deiner Firmen nutzt, und ihre Grenzen. Untergeordnete Firmen zählen für sich.',
    none: 'Keine Firma',
    noneText: 'Du verwaltest keine Firma. Jemand, der es tut, kann dir das Recht geben.',
    more: 'Weitere Firmen anzeigen',
    number: (id) => `Nummer ${id}`,
    disabled: 'deaktiviert',
    limits: {
      contexts: 'GPTs',
      users: 'Benutzer',
      apiKeys: 'API-Schlüssel',
      destinations: 'Webhook-Ziele',
    },
    of: (used, limit) => `${used} von ${limit}`,
    full: (name) => `${name}: Die Grenze ist erreicht. Lösche, was niemand braucht.`,
    documents: 'Dokumente',
    bytes: 'Ihre Größe',
    largest: 'Größte GPTs',
    noContexts: 'Diese Firma hat noch keine GPTs. Hier erscheinen die größten, und wie voll sie sind.',
    gpt: (id) => `GPT ${id}`,
    settings: 'Einstellungen',
    settingsOf: (name) => `Einstellungen von ${name}`,
    columns: ['GPT', 'Dokumente', 'Größe'],
  },
}
