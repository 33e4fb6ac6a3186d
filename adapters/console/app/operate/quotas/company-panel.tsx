import { useQuery } from '@tanstack/react-query'
import type { ReactElement } from 'react'
import { dataOf, type Schema, useApi } from '../../api/api.js'
import { useFormat } from '../../texts/format.js'
import { useTexts } from '../../texts/phrases.js'
import { Badge, Loaded, Note } from '../../ui/notes.js'
import { Fact } from '../fact.js'
import { Meter } from '../meter.js'
import type { Company } from '../use-companies.js'
import { LargestContexts } from './largest-contexts.js'
import { QUOTAS_TEXTS } from './quotas-texts.js'

/** The usage of one company. */
export function CompanyPanel({ company }: { readonly company: Company }): ReactElement {
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
