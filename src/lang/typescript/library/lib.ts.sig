interface Object {
    toString(): string;
    valueOf(): Object;
    hasOwnProperty(key: string): boolean;
    isPrototypeOf(other: Object): boolean;
}
interface ObjectConstructor {
    keys(of: Object): string[];
    values<T>(of: Record<string, T>): T[];
    entries<T>(of: Record<string, T>): [string, T][];
    assign<T>(target: T, ...sources: any[]): T;
    create(prototype: any, properties?: any): any;
    freeze<T>(of: T): T;
    seal<T>(of: T): T;
    defineProperty<T>(of: T, key: string, descriptor: any): T;
    getPrototypeOf(of: any): any;
    setPrototypeOf(of: any, to: any): any;
    fromEntries<T>(entries: any): Record<string, T>;
}
declare const Object: ObjectConstructor;
interface Record<K, V> {
    "[element]"(): V;
}
interface String {
    length: number;
    charAt(at: number): string;
    charCodeAt(at: number): number;
    concat(...more: string[]): string;
    endsWith(part: string): boolean;
    includes(part: string): boolean;
    indexOf(part: string): number;
    lastIndexOf(part: string): number;
    localeCompare(other: string): number;
    match(pattern: any): RegExpMatchArray;
    matchAll(pattern: any): RegExpMatchArray[];
    normalize(): string;
    padEnd(length: number): string;
    padStart(length: number): string;
    repeat(count: number): string;
    replace(pattern: any, by: any): string;
    replaceAll(pattern: any, by: any): string;
    search(pattern: any): number;
    slice(from: number, to?: number): string;
    split(by: any): string[];
    startsWith(part: string): boolean;
    substr(from: number, length?: number): string;
    substring(from: number, to?: number): string;
    toLowerCase(): string;
    toUpperCase(): string;
    toLocaleLowerCase(): string;
    toLocaleUpperCase(): string;
    toString(): string;
    trim(): string;
    trimEnd(): string;
    trimStart(): string;
    at(at: number): string;
    codePointAt(at: number): number;
    "[element]"(): string;
}
interface StringConstructor {
    new(value?: any): String;
    (value?: any): string;
    fromCharCode(...codes: number[]): string;
    raw(parts: any): string;
}
declare const String: StringConstructor;
interface Number {
    toFixed(digits?: number): string;
    toString(radix?: number): string;
    toPrecision(digits?: number): string;
    valueOf(): number;
}
interface NumberConstructor {
    new(value?: any): Number;
    (value?: any): number;
    isFinite(value: any): boolean;
    isInteger(value: any): boolean;
    isNaN(value: any): boolean;
    isSafeInteger(value: any): boolean;
    parseFloat(value: string): number;
    parseInt(value: string): number;
}
declare const Number: NumberConstructor;
interface Boolean {
    valueOf(): boolean;
    toString(): string;
}
interface BooleanConstructor {
    (value?: any): boolean;
}
declare const Boolean: BooleanConstructor;
interface RegExpMatchArray extends Array<string> {
    index: number;
    groups: Record<string, string>;
}
interface RegExp {
    exec(text: string): RegExpMatchArray;
    test(text: string): boolean;
    lastIndex: number;
    source: string;
    flags: string;
}
interface RegExpConstructor {
    new(pattern: any, flags?: string): RegExp;
    (pattern: any, flags?: string): RegExp;
}
declare const RegExp: RegExpConstructor;
interface ReadonlyArray<T> extends Array<T> {}
interface ArrayLike<T> extends Array<T> {}
interface Array<T> {
    length: number;
    at(at: number): T;
    concat(...more: T[]): T[];
    copyWithin(target: number, from: number): T[];
    entries(): [number, T][];
    every(test: (value: T, index: number, all: T[]) => boolean): boolean;
    fill(value: T): T[];
    filter(test: (value: T, index: number, all: T[]) => boolean): T[];
    find(test: (value: T, index: number, all: T[]) => boolean): T;
    findIndex(test: (value: T, index: number, all: T[]) => boolean): number;
    findLast(test: (value: T, index: number, all: T[]) => boolean): T;
    flat(depth?: number): T[];
    flatMap<U>(by: (value: T, index: number, all: T[]) => U): U;
    forEach(action: (value: T, index: number, all: T[]) => void): void;
    includes(value: T): boolean;
    indexOf(value: T): number;
    join(by?: string): string;
    keys(): number[];
    lastIndexOf(value: T): number;
    map<U>(by: (value: T, index: number, all: T[]) => U): U[];
    pop(): T;
    push(...values: T[]): number;
    reduce<U>(by: (so: U, value: T, index: number, all: T[]) => U, start?: U): U;
    reduceRight<U>(by: (so: U, value: T, index: number, all: T[]) => U, start?: U): U;
    reverse(): T[];
    shift(): T;
    slice(from?: number, to?: number): T[];
    some(test: (value: T, index: number, all: T[]) => boolean): boolean;
    sort(by?: (a: T, b: T) => number): T[];
    splice(from: number, count?: number, ...values: T[]): T[];
    toSorted(by?: (a: T, b: T) => number): T[];
    toReversed(): T[];
    unshift(...values: T[]): number;
    values(): T[];
    "[element]"(): T;
}
interface ArrayConstructor {
    new<T>(...values: T[]): T[];
    <T>(...values: T[]): T[];
    from<T>(values: Iterable<T>): T[];
    from<T, U>(values: Iterable<T>, by: (value: T, index: number) => U): U[];
    isArray(value: any): boolean;
    of<T>(...values: T[]): T[];
}
declare const Array: ArrayConstructor;
interface Iterable<T> {
    "[element]"(): T;
}
interface Iterator<T> extends Iterable<T> {
    next(): IteratorResult<T>;
}
interface IterableIterator<T> extends Iterator<T> {}
interface AsyncIterable<T> extends Iterable<T> {}
interface AsyncIterator<T> extends Iterator<T> {}
interface AsyncIterableIterator<T> extends Iterator<T> {}
interface AsyncGenerator<T> extends Iterator<T> {}
interface Generator<T> extends Iterator<T> {}
interface IteratorResult<T> {
    value: T;
    done: boolean;
}
interface Map<K, V> {
    size: number;
    clear(): void;
    delete(key: K): boolean;
    entries(): [K, V][];
    forEach(action: (value: V, key: K, all: Map<K, V>) => void): void;
    get(key: K): V;
    has(key: K): boolean;
    keys(): K[];
    set(key: K, value: V): Map<K, V>;
    values(): V[];
    "[element]"(): [K, V];
}
interface MapConstructor {
    new<K, V>(entries?: [K, V][]): Map<K, V>;
}
declare const Map: MapConstructor;
interface ReadonlyMap<K, V> extends Map<K, V> {}
interface WeakMap<K, V> {
    delete(key: K): boolean;
    get(key: K): V;
    has(key: K): boolean;
    set(key: K, value: V): WeakMap<K, V>;
}
interface WeakMapConstructor {
    new<K, V>(): WeakMap<K, V>;
}
declare const WeakMap: WeakMapConstructor;
interface Set<T> {
    size: number;
    add(value: T): Set<T>;
    clear(): void;
    delete(value: T): boolean;
    entries(): [T, T][];
    forEach(action: (value: T, again: T, all: Set<T>) => void): void;
    has(value: T): boolean;
    keys(): T[];
    values(): T[];
    "[element]"(): T;
}
interface SetConstructor {
    new<T>(values?: Iterable<T>): Set<T>;
}
declare const Set: SetConstructor;
interface ReadonlySet<T> extends Set<T> {}
interface WeakSet<T> {
    add(value: T): WeakSet<T>;
    delete(value: T): boolean;
    has(value: T): boolean;
}
interface WeakSetConstructor {
    new<T>(): WeakSet<T>;
}
declare const WeakSet: WeakSetConstructor;
interface WeakRef<T> {
    deref(): T;
}
interface WeakRefConstructor {
    new<T>(of: T): WeakRef<T>;
}
declare const WeakRef: WeakRefConstructor;
interface Promise<T> {
    then<U>(done: (value: T) => U, failed?: (reason: any) => U): Promise<U>;
    catch<U>(failed: (reason: any) => U): Promise<T>;
    finally(action: () => void): Promise<T>;
}
interface PromiseLike<T> extends Promise<T> {}
interface PromiseConstructor {
    new<T>(run: (resolve: (value: T) => void, reject: (reason: any) => void) => void): Promise<T>;
    all<T>(values: Iterable<T>): Promise<T[]>;
    allSettled<T>(values: Iterable<T>): Promise<T[]>;
    any<T>(values: Iterable<T>): Promise<T>;
    race<T>(values: Iterable<T>): Promise<T>;
    reject(reason?: any): Promise<any>;
    resolve<T>(value?: T): Promise<T>;
}
declare const Promise: PromiseConstructor;
interface Error {
    message: string;
    name: string;
    stack: string;
}
interface ErrorConstructor {
    new(message?: string, options?: any): Error;
    (message?: string): Error;
    captureStackTrace(of: any, from?: any): void;
}
declare const Error: ErrorConstructor;
interface Date {
    getTime(): number;
    getFullYear(): number;
    toISOString(): string;
    toJSON(): string;
    valueOf(): number;
}
interface DateConstructor {
    new(value?: any): Date;
    now(): number;
    parse(text: string): number;
}
declare const Date: DateConstructor;
interface JSON {
    parse(text: string, by?: any): any;
    stringify(value: any, by?: any, space?: any): string;
}
declare const JSON: JSON;
