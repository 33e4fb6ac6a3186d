import { useQuery } from '@tanstack/react-query'
import type { ReactElement, ReactNode } from 'react'
import { Link } from 'wouter'
import { dataOf, type Schema, useApi } from '../../api/api.js'
import { useLogin } from '../../login/use-login.js'
import { useFormat } from '../../texts/format.js'
import { phrases, useTexts } from '../../texts/phrases.js'
import { Button } from '../../ui/buttons.js'
import { Badge, EmptyState, ErrorNote, Loaded, Note } from '../../ui/notes.js'
import { PageHead } from '../../ui/page-head.js'
import { Row, Table } from '../../ui/table.js'
import { Fact, Meter } from '../fact.js'
import { type Company, useCompanies } from '../use-companies.js'
import { useContextName } from '../use-names.js'

/** The usage of the companies in reach, beside their limits. */
export function QuotasPage({ tabs }: { readonly tabs: ReactNode }): ReactElement {
  const texts = useTexts(QUOTAS_TEXTS)
  const companies = useCompanies()
  return (
    <>
      <PageHead title={texts.title}>{texts.about}</PageHead>
      {tabs}
      <Loaded query={companies}>
        {({ pages }) => {
          const shown = pages.flat()
          return shown.length === 0 ? (
            <EmptyState title={texts.none}>{texts.noneText}</EmptyState>
          ) : (
            shown.map((company) => <CompanyPanel key={company.id} company={company} />)
          )
        }}
      </Loaded>
      {companies.isFetchNextPageError && <ErrorNote error={companies.error} />}
      {companies.hasNextPage && (
        <Button isPending={companies.isFetchingNextPage} onPress={() => void companies.fetchNextPage()}>
          {texts.more}
        </Button>
      )}
    </>
  )
}

/** The usage of one company. */
function CompanyPanel({ company }: { readonly company: Company }): ReactElement {
  const texts = useTexts(QUOTAS_TEXTS)
  const api = useApi()
  const { id, name, disabled } = company
  const usage = useQuery({
    queryKey: ['usage', id],
    queryFn: async ({ signal }) => await dataOf(api.GET('/tenant/usage', { params: { query: { cid: id } }, signal })),
  })
  return (
    <section className="panel operate-panel" aria-label={name}>
      <h2 className="operate-company">{name}</h2>
      <p className="soft">
        {texts.number(id)} {disabled && <Badge kind="bad">{texts.disabled}</Badge>}
      </p>
      <Loaded query={usage}>{(data) => <Usage usage={data} />}</Loaded>
    </section>
  )
}

function Usage({ usage }: { readonly usage: Schema<'CompanyUsage'> }): ReactElement {
  const texts = useTexts(QUOTAS_TEXTS)
  const format = useFormat()
  const parts = Object.keys(texts.limits) as (keyof typeof texts.limits)[]
  const full = parts.filter((part) => usage[part].used >= usage[part].limit)
  return (
    <>
      {full.map((part) => (
        <Note key={part} kind="warning">
          {texts.full(texts.limits[part])}
        </Note>
      ))}
      <div className="columns">
        <div>
          {parts.map((part) => {
            const { used, limit } = usage[part]
            const text = texts.of(format.number(used), format.number(limit))
            return <Meter key={part} label={texts.limits[part]} text={text} used={used} limit={limit} />
          })}
        </div>
        <dl className="facts">
          <Fact name={texts.documents}>{format.number(usage.documents)}</Fact>
          <Fact name={texts.bytes}>{format.bytes(usage.documentBytes)}</Fact>
        </dl>
      </div>
      <h3>{texts.largest}</h3>
      <LargestContexts contexts={usage.largestContexts} />
    </>
  )
}

type LargeContext = Schema<'CompanyUsage'>['largestContexts'][number]

/** The contexts with the most bytes, and how full they are. */
function LargestContexts({ contexts }: { readonly contexts: readonly LargeContext[] }): ReactElement {
  const texts = useTexts(QUOTAS_TEXTS)
  if (contexts.length === 0) return <p className="soft">{texts.noContexts}</p>
  const [gpt, documents, size] = texts.columns
  return (
    <Table
      label={texts.largest}
      columns={[
        { name: gpt },
        { name: documents, isNumber: true },
        { name: size },
        { name: texts.settings, isHidden: true },
      ]}
    >
      {contexts.map((context) => (
        <ContextRow key={context.id} context={context} />
      ))}
    </Table>
  )
}

function ContextRow({ context }: { readonly context: LargeContext }): ReactElement {
  const texts = useTexts(QUOTAS_TEXTS)
  const format = useFormat()
  const { account, chooseAccount } = useLogin()
  const { id, accountId, documents, sizeBytes, maxSizeBytes } = context
  // Only a user who may read the context gets its name, and can open its settings.
  const name = useContextName(id, accountId)
  const label = name ?? texts.gpt(id)
  return (
    <Row
      cells={[
        label,
        format.number(documents),
        <Meter
          label={format.percent(maxSizeBytes === 0 ? 1 : sizeBytes / maxSizeBytes)}
          text={texts.of(format.bytes(sizeBytes), format.bytes(maxSizeBytes))}
          used={sizeBytes}
          limit={maxSizeBytes}
        />,
        name !== undefined && (
          <Link
            href={`/gpts/${id}/settings`}
            aria-label={texts.settingsOf(label)}
            onClick={() => {
              if (accountId !== account?.id) chooseAccount(accountId)
            }}
          >
            {texts.settings}
          </Link>
        ),
      ]}
    />
  )
}

const QUOTAS_TEXTS = phrases({
  en: {
    title: 'Quotas',
    about: 'What each of your companies uses, beside its limits. Companies below a company count by themselves.',
    none: 'No company',
    noneText: 'You manage no company. Somebody who does can give you the right.',
    more: 'Show more companies',
    number: (id: number) => `Number ${id}`,
    disabled: 'disabled',
    limits: { contexts: 'GPTs', users: 'Users', apiKeys: 'API keys in use', destinations: 'Destinations of webhooks' },
    of: (used: string, limit: string) => `${used} of ${limit}`,
    full: (name: string) => `${name}: the limit is reached. Delete what nobody needs.`,
    documents: 'Documents',
    bytes: 'Their size',
    largest: 'Largest GPTs',
    noContexts:
      'This company has no GPTs yet. The largest ones appear here, with the share of their size that is used.',
    gpt: (id: number) => `GPT ${id}`,
    settings: 'Settings',
    settingsOf: (name: string) => `Settings of ${name}`,
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
})
