import type { AdmissionPlugin, Operation } from '#admission';

/** Holds writes of ConfigMaps, by default creates, until the gate opens; `arrived` resolves with the first. */
export function createGate(on: readonly Operation[] = ['CREATE']): { readonly plugin: AdmissionPlugin; readonly arrived: Promise<void>; open(): void } {
  let open = (): void => {};
  let arrive = (): void => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  const arrived = new Promise<void>((resolve) => (arrive = resolve));
  const validate = (): Promise<void> => {
    arrive();
    return opened;
  };
  return { plugin: { name: 'Gate', enabled: true, band: 'final', create: () => ({ on, kinds: ['/configmaps'], validate }) }, arrived, open };
}
