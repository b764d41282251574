import { after, before, describe, test } from 'node:test';
import type { TestJson } from '#testing';
import { Cluster, DIALECTS } from '../controllers/cluster.ts';
import { newRequester, person } from '../support/certificate-requests.ts';
import { newAuthority } from '../support/certificates.ts';
import { walkAtRandom, walkEveryCell, type Subject, type Table } from './table.ts';

type Decision = 'open' | 'approved' | 'denied';
/** Who has decided what, whether signing has failed, and whether there is a certificate: the API keeps all three apart. */
type State = `${Decision}${'' | ' failed'}${'' | ' issued'}`;

const EVENTS = ['approve', 'deny', 'fail', 'issue', 'takeBack'] as const;
type Event = (typeof EVENTS)[number];

/** What becomes of a certificate request. */
const NEXT: Table<State, Event> = {
  open: { approve: 'approved', deny: 'denied', fail: 'open failed', issue: 'open issued', takeBack: 'open' },
  'open failed': { approve: 'approved failed', deny: 'denied failed', fail: 'open failed', issue: 'open failed issued', takeBack: 'refused' },
  'open issued': { approve: 'approved issued', deny: 'denied issued', fail: 'open failed issued', issue: 'open issued', takeBack: 'open issued' },
  'open failed issued': { approve: 'approved failed issued', deny: 'denied failed issued', fail: 'open failed issued', issue: 'open failed issued', takeBack: 'refused' },
  approved: { approve: 'approved', deny: 'refused', fail: 'approved failed', issue: 'approved issued', takeBack: 'refused' },
  'approved failed': { approve: 'approved failed', deny: 'refused', fail: 'approved failed', issue: 'approved failed issued', takeBack: 'refused' },
  'approved issued': { approve: 'approved issued', deny: 'refused', fail: 'approved failed issued', issue: 'approved issued', takeBack: 'refused' },
  'approved failed issued': { approve: 'approved failed issued', deny: 'refused', fail: 'approved failed issued', issue: 'approved failed issued', takeBack: 'refused' },
  denied: { approve: 'refused', deny: 'denied', fail: 'denied failed', issue: 'denied issued', takeBack: 'refused' },
  'denied failed': { approve: 'refused', deny: 'denied failed', fail: 'denied failed', issue: 'denied failed issued', takeBack: 'refused' },
  'denied issued': { approve: 'refused', deny: 'denied issued', fail: 'denied failed issued', issue: 'denied issued', takeBack: 'refused' },
  'denied failed issued': { approve: 'refused', deny: 'denied failed issued', fail: 'denied failed issued', issue: 'denied failed issued', takeBack: 'refused' },
};

interface Status {
  readonly conditions?: readonly { readonly type: string }[];
  readonly certificate?: string;
}

const has = ({ conditions = [] }: Status, type: string): boolean => conditions.some((one) => one.type === type);

function stateOf(status: Status): State {
  const decision = has(status, 'Approved') ? 'approved' : has(status, 'Denied') ? 'denied' : 'open';
  return `${decision}${has(status, 'Failed') ? ' failed' : ''}${status.certificate === undefined ? '' : ' issued'}`;
}

const withCondition = (status: Status, type: string): Status =>
  has(status, type) ? status : { ...status, conditions: [...(status.conditions ?? []), { type, status: 'True', reason: 'Test' } as { readonly type: string }] };

for (const dialect of DIALECTS) {
  describe(`states of a certificate request (${dialect})`, () => {
    let cluster: Cluster;
    let spec: object;
    let certificate: string;
    let count = 0;
    before(async () => {
      cluster = await Cluster.start({ dialect, controllers: 'none' });
      const { base64 } = await (await newRequester()).make({ subject: person('a') });
      spec = { signerName: 'example.com/signer', usages: ['client auth'], request: base64 };
      certificate = Buffer.from((await newAuthority()).cert).toString('base64');
    });
    after(() => cluster.server.close());

    const EFFECTS: Readonly<Record<Event, (status: Status) => readonly [subresource: string, next: Status]>> = {
      approve: (status) => ['approval', withCondition(status, 'Approved')],
      deny: (status) => ['approval', withCondition(status, 'Denied')],
      fail: (status) => ['status', withCondition(status, 'Failed')],
      issue: (status) => ['status', { ...status, certificate }],
      takeBack: ({ conditions: _all, ...rest }) => ['approval', rest],
    };

    async function make(): Promise<Subject<State, Event>> {
      const made = await cluster.make('certificates:certificatesigningrequests', { name: `r${count++}` }, { spec });
      const path = cluster.path('certificates:certificatesigningrequests', made.metadata.name as string);
      const live = (): Promise<TestJson> => cluster.ask('GET', path);
      return {
        begin: 'open',
        async send(event) {
          const now = await live();
          const [subresource, status] = EFFECTS[event](now.status as Status);
          return (await cluster.server.request('PUT', `${path}/${subresource}`, { ...now, status })).status;
        },
        state: async () => stateOf((await live()).status as Status),
      };
    }

    test('R2.12-12 every cell of the table, on the shortest way there', () => walkEveryCell(NEXT, make, 'open'));
    test('R2.12-12 random walks stay within the table', () => walkAtRandom(NEXT, make, EVENTS));
  });
}
