import type { ReactElement } from 'react'
import { Link } from 'wouter'
import type { Schema } from '../../api/api.js'
import { useLogin } from '../../login/use-login.js'
import { useFormat } from '../../texts/format.js'
import { useTexts } from '../../texts/phrases.js'
import { Row, Table } from '../../ui/table.js'
import { Meter } from '../meter.js'
import { useContextName } from '../use-names.js'
import { QUOTAS_TEXTS } from './quotas-texts.js'

type LargeContext = Schema<'CompanyUsage'>['largestContexts'][number]

/** The contexts with the most bytes, and how full they are. */
export function LargestContexts({ contexts }: { readonly contexts: readonly LargeContext[] }): ReactElement {
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
