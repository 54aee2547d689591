"""Perfetto's files by their formats' definitions, without the writer's code."""
import collections
import re


def fields(data):
    """(number, value) of a protobuf message: integers, or bytes."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value
    while at < len(data):
        key = varint()
        if key & 7 == 0:
            yield key >> 3, varint()
        else:
            assert key & 7 == 2, key
            size = varint()
            assert at + size <= len(data)
            yield key >> 3, data[at:at + size]
            at += size


def read_trace(path):
    """Tracks by number, with their slices [begin, end, name, annotations], values and parents, as trace processor has them."""
    tracks, names, note_names, slices, values, opened = {}, {}, {}, collections.defaultdict(list), collections.defaultdict(list), {}
    for number, packet in fields(open(path, 'rb').read()):
        assert number == 1
        packet = list(fields(packet))
        interned = [entry for key, value in packet if key == 12 for entry in fields(value)]
        assert len(dict(packet)) == len(packet), 'readers take the last of fields that stand twice'
        packet = dict(packet)
        sequence, flags = packet[10], packet[13]
        if flags & 1:
            names[sequence], note_names[sequence] = {}, {}
        assert flags & 2 and sequence in names, 'a packet needs state that nobody has set'
        for key, entry in interned:
            entry, of = dict(fields(entry)), {2: names, 3: note_names}[key][sequence]
            assert entry[1] not in of
            of[entry[1]] = entry[2].decode()
        if 60 in packet:
            track = dict(fields(packet[60]))
            assert track[1] not in tracks and (3 in track or track[5] in tracks)
            process = dict(fields(track[3])) if 3 in track else None
            tracks[track[1]] = {'name': process[6].decode() if process else track[2].decode(), 'parent': track.get(5), 'counter': 8 in track}
        if 11 not in packet:
            continue
        event, notes = {}, {}
        for key, value in fields(packet[11]):
            if key == 4:
                note = dict(fields(value))
                notes[note_names[sequence][note[1]]] = note[3]
            else:
                event[key] = value
        track, when = event[11], packet[8]
        assert track in tracks
        if event[9] == 1:
            assert track not in opened, 'slices of a track overlap'
            assert not slices[track] or slices[track][-1][1] <= when, (path, tracks[track], slices[track][-2:], when)
            opened[track] = [when, None, names[sequence][event[10]], notes]
        elif event[9] == 3:
            slices[track].append([when, when, names[sequence][event[10]], notes])
        elif event[9] == 2:
            slices[track].append(opened.pop(track))
            slices[track][-1][1] = when
            assert slices[track][-1][0] <= when
        else:
            assert event[9] == 4 and tracks[track]['counter']
            values[track].append((when, event[30]))
    assert not opened
    return tracks, slices, values


def named(tracks, of, pattern):
    """Tracks of a process, by name."""
    return {track['name']: number for number, track in tracks.items()
            if track['parent'] in tracks and tracks[track['parent']]['name'] == of and re.fullmatch(pattern, track['name'])}
