import type { ApiResource } from '#client';
import { ApiError } from '#errors';
import { EXIT } from '../command.ts';
import { explainFailure } from '../explain-failure.ts';
import type { FlagValues } from '../parse-flags.ts';
import { checkedName } from '../session/checked-name.ts';
import { resourcesOf } from '../session/resources.ts';
import { withSession, type Session } from '../session/session.ts';
import { paint, type Terminal } from '../terminal.ts';
import { UsageError } from '../usage-error.ts';
import { loadManifests, type Manifest } from './load-manifests.ts';
import { lookAgain, MadeKinds } from './made-kinds.ts';

/** An object from a file, with its resource and namespace. */
export interface Placed extends Manifest {
  readonly resource: ApiResource;
  /** The namespace of the object; meaningless for cluster-scoped resources. */
  readonly placedIn: string;
}

/** Does something with one object, and says what it did. */
export type Act = (session: Session, placed: Placed) => Promise<string>;

/**
 * Runs `act` for the objects of the files of `-f`, in order, and prints what it returns. An `ApiError` or `UsageError` is printed and the next object
 * follows; other failures, such as a lost connection, end the command. Resolves to the exit code. `isMaking`: what `act` was given is on the server
 * afterwards, so that an object is waited for whose definition came before it.
 */
export async function eachManifest(flags: FlagValues, terminal: Terminal, act: Act, { isMaking = false } = {}): Promise<number> {
  const manifests = await loadManifests(flags.list('filename'), terminal);
  return withSession(flags, terminal, async (session) => {
    const made = new MadeKinds();
    const place = createPlacer(session, made);
    let exit: number = EXIT.ok;
    for (const manifest of manifests) {
      try {
        terminal.out(`${await act(session, await place(manifest))}\n`);
        if (isMaking) made.add(manifest);
      } catch (cause) {
        if (!(cause instanceof ApiError || cause instanceof UsageError)) throw cause;
        terminal.err(`${paint('orch:', 'red', terminal.hasColour.err)} ${manifest.where}: ${explainFailure(cause)}\n`);
        exit = EXIT.failed;
      }
    }
    return exit;
  });
}

function createPlacer(session: Session, made: MadeKinds): (manifest: Manifest) => Promise<Placed> {
  const known = new Map<string, readonly ApiResource[]>();
  const find = async (manifest: Manifest): Promise<ApiResource | undefined> => {
    const { apiVersion, kind } = manifest;
    const isMeant = (resource: ApiResource): boolean => resource.kind === kind;
    const found = known.get(apiVersion)?.find(isMeant);
    if (found !== undefined) return found;
    // An object before this one may have been its definition.
    const look = async (): Promise<ApiResource | undefined> => {
      const resources = await resourcesOf(session.client, apiVersion);
      known.set(apiVersion, resources);
      return resources.find(isMeant);
    };
    return (await look()) ?? (made.has(manifest) ? lookAgain(look) : undefined);
  };
  return async (manifest) => {
    const resource = await find(manifest);
    if (resource === undefined) {
      throw new UsageError(`the server has no ${manifest.kind} in ${manifest.apiVersion}: orch api-resources lists what it has`);
    }
    if (manifest.name !== '') checkedName(manifest.name);
    return { ...manifest, resource, placedIn: placeOf(manifest, resource, session) };
  };
}

function placeOf({ namespace }: Manifest, resource: ApiResource, session: Session): string {
  if (namespace === '' || !resource.isNamespaced) return session.namespace;
  if (session.isNamespaceGiven && namespace !== session.namespace) {
    throw new UsageError(`the file says namespace ${namespace}, the command line ${session.namespace}: leave one of them out`);
  }
  return checkedName(namespace);
}
