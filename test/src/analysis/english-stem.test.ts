import { describe, expect, it } from 'vitest'
import { termsOf } from '../../../src/analysis/index.js'

/**
 * Words of the vocabulary that https://snowballstem.org publishes with the algorithm, and of its rules and exceptions.
 */
const STEMS =
  'consign:consign consigned:consign consigning:consign consignment:consign consist:consist consisted:consist ' +
  'consistency:consist consistent:consist consistently:consist consisting:consist consists:consist ' +
  'consolation:consol consolatory:consolatori console:consol conspicuous:conspicu conspiracy:conspiraci ' +
  'conspirator:conspir knack:knack knackeries:knackeri knavish:knavish kneaded:knead knee:knee kneeling:kneel ' +
  'knightly:knight knitting:knit knives:knive skies:sky dying:die news:news inning:inning evening:evening ' +
  'proceed:proceed early:earli hoping:hope hopping:hop falling:fall agreed:agre feed:feed luxuriated:luxuri ' +
  'ties:tie cries:cri gas:gas this:this kiwis:kiwi glass:glass focus:focus happy:happi say:say enjoy:enjoy by:by ' +
  'relational:relat conditional:condit organization:organiz biology:biolog biologist:biolog happiness:happi ' +
  'electrical:electr formative:format controlling:control generate:generat generally:general ' +
  'international:internat interval:interval communities:communiti adjustment:adjust adoption:adopt ' +
  'probate:probat rate:rate roll:roll youth:youth yellow:yellow'

describe('the English stem', () => {
  it.each(STEMS.split(' ').map((pair) => pair.split(':')))('of %s is %s', (word = '', stem) => {
    expect(termsOf(word)).toEqual([stem])
  })

  it('does not exist for identifiers and for words in other scripts', () => {
    expect(termsOf('camelCases')[0]).toBe('camelcases')
    expect(termsOf('E-4711s')[0]).toBe('e4711s')
    expect(termsOf('домами τρέχοντας')).toEqual(['домами', 'τρεχοντασ'])
  })
})
