import type { ReactElement, ReactNode } from 'react'
import { useTexts } from '../../texts/phrases.js'
import { Button } from '../../ui/buttons.js'
import { EmptyState, ErrorNote, Loaded } from '../../ui/notes.js'
import { PageHead } from '../../ui/page-head.js'
import { useCompanies } from '../use-companies.js'
import { CompanyPanel } from './company-panel.js'
import { QUOTAS_TEXTS } from './quotas-texts.js'

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
