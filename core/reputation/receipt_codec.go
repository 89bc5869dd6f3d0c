package reputation

import (
	"encoding/binary"
	"math"
)

// receiptVersion 2 has what was known about classes of raters, behind a flag.
const receiptVersion = 2

const (
	flagIgnore = 1 << iota
	flagApplied
	flagFrozen
)

// AppendBinary appends the receipt to b: a version byte and its fields, little
// endian. It implements [encoding.BinaryAppender].
func (r *Receipt) AppendBinary(b []byte) ([]byte, error) {
	le := binary.LittleEndian
	b = append(b, receiptVersion)
	for _, x := range [...]uint64{r.Tag, uint64(r.Time), r.Signature[0], r.Signature[1], uint64(r.Space)} {
		b = le.AppendUint64(b, x)
	}
	b = le.AppendUint16(b, r.User)
	b = appendF32(b, r.CitedRate)
	b = append(b, boolByte(r.IgnoreAttribution)*flagIgnore|boolByte(r.applied != nil)*flagApplied|boolByte(r.frozen)*flagFrozen)
	b = le.AppendUint16(b, uint16(len(r.Shown)))
	for i := range r.Shown {
		for _, x := range r.Shown[i].numbers() {
			b = appendF32(b, *x)
		}
	}
	b = le.AppendUint16(b, uint16(len(r.Opinions)))
	for i := range r.Opinions {
		b = r.Opinions[i].appendTo(b)
	}
	b = le.AppendUint16(b, uint16(len(r.Calibrations)))
	for i := range r.Calibrations {
		c := &r.Calibrations[i]
		b = appendF64(appendF64(appendText(b, c.Rater), c.TPR), c.FPR)
		for _, x := range c.DocFPR {
			b = appendF32(b, x)
		}
	}
	return r.appendApplied(r.appendClasses(b)), nil
}

// appendClasses encodes what the receipt has written down of classes of raters.
func (r *Receipt) appendClasses(b []byte) []byte {
	if !r.frozen {
		return b
	}
	b = binary.LittleEndian.AppendUint16(b, uint16(len(r.classes)))
	for _, c := range r.classes {
		b = appendF64(appendF64(appendText(b, c.class), c.tpr), c.fpr)
	}
	return b
}

func (r *Receipt) decodeClasses(in *reader) {
	r.frozen = true
	for range in.count(maxClasses, 18) {
		r.classes = append(r.classes, classRates{in.text(MaxRater), in.finite(), in.finite()})
	}
}

// appendApplied encodes what the receipt has changed already.
func (r *Receipt) appendApplied(b []byte) []byte {
	if r.applied == nil {
		return b
	}
	for i := range r.applied {
		a := &r.applied[i]
		b = append(b, boolByte(a.done), byte(len(a.checks)))
		b = a.event.appendBare(b)
		for _, c := range a.checks {
			b = c.appendTo(b)
		}
	}
	for _, x := range r.stats.v {
		b = appendF64(b, x)
	}
	b = binary.LittleEndian.AppendUint16(b, uint16(len(r.tallies)))
	for _, t := range r.tallies {
		b = appendText(b, t.Name)
		for _, x := range t.Values {
			b = appendF64(b, x)
		}
	}
	return b
}

// UnmarshalBinary decodes what AppendBinary wrote. It returns [ErrVersion] for a
// newer version and [ErrCorrupt] for anything else it cannot have written, and
// then leaves r as it was.
func (r *Receipt) UnmarshalBinary(b []byte) error {
	in := reader{b: b}
	in.version(receiptVersion)
	c := Receipt{Tag: in.u64(), Time: int64(in.u64()), Signature: Signature{in.u64(), in.u64()}, Space: Space(in.u64())}
	c.User = in.u16()
	c.CitedRate = in.f32()
	flags := in.u8()
	c.IgnoreAttribution = flags&flagIgnore != 0
	c.Shown = make([]Shown, in.count(maxShown, 4*len((&Shown{}).numbers())))
	for i := range c.Shown {
		for _, x := range c.Shown[i].numbers() {
			*x = in.finite32()
		}
	}
	for range in.count(MaxOpinions, leastOpinion) {
		c.Opinions = append(c.Opinions, in.opinion(len(c.Shown)))
	}
	for range in.count(MaxOpinions, 18+4*len(c.Shown)) {
		c.Calibrations = append(c.Calibrations, in.calibration(len(c.Shown)))
	}
	if flags&flagFrozen != 0 {
		c.decodeClasses(&in)
	}
	if flags&flagApplied != 0 {
		c.decodeApplied(&in)
	}
	c.check(&in)
	if err := in.done(); err != nil {
		return err
	}
	*r = c
	return nil
}

// check verifies that opinions and calibrations are in order, and that every rater
// has its calibration.
func (r *Receipt) check(in *reader) {
	for i := range r.Opinions {
		o := &r.Opinions[i]
		if !o.Verified && r.calibration(o.Rater) == nil || i > 0 && compareOpinions(r.Opinions[i-1], *o) >= 0 {
			in.fail()
		}
	}
	for i := 1; i < len(r.Calibrations); i++ {
		if r.Calibrations[i-1].Rater >= r.Calibrations[i].Rater {
			in.fail()
		}
	}
}

func (r *Receipt) decodeApplied(in *reader) {
	r.applied = make([]applied, len(r.Shown))
	for i := range r.applied {
		a := &r.applied[i]
		a.done = in.u8() != 0
		n := in.u8()
		a.event.decodeBare(in)
		if n > maxChecks {
			in.fail()
			return
		}
		for range n {
			a.checks = append(a.checks, in.check())
		}
	}
	for i := range r.stats.v {
		r.stats.v[i] = in.finite()
	}
	for range in.count(2*MaxOpinions, 2+4*8) {
		t := TallyDelta{Name: in.text(2 * MaxRater), Values: make([]float64, 4)}
		for i := range t.Values {
			t.Values[i] = in.finite()
		}
		r.tallies = append(r.tallies, t)
	}
}

// numbers are the fields in the order of the encoding.
func (s *Shown) numbers() [8 + Hypotheses]*float32 {
	n := [8 + Hypotheses]*float32{&s.Propensity, &s.Mean, &s.MeanBest, &s.MeanFirst, &s.LocalMass, &s.S, &s.CitedSum, &s.CitedMass}
	for h := range s.Thetas {
		n[8+h] = &s.Thetas[h]
	}
	return n
}

const leastOpinion = 2 + 1 + 8 + 2 + 1 // encoded, in bytes

func (o *Opinion) appendTo(b []byte) []byte {
	b = append(appendText(b, o.Rater), boolByte(o.Verified))
	b = appendF64(b, o.Value)
	b = binary.LittleEndian.AppendUint16(b, uint16(o.about()+1))
	b = append(b, boolByte(o.Used != nil))
	for _, u := range o.Used {
		b = appendF32(b, u)
	}
	return b
}

// opinion reads an opinion on a receipt of k documents.
func (r *reader) opinion(k int) Opinion {
	o := Opinion{Rater: r.text(MaxRater), Verified: r.u8() != 0, Value: r.f64()}
	if about := int(r.u16()); about > 0 {
		o.On = []int{about - 1}
	}
	if r.u8() != 0 {
		o.Used = make([]float32, k)
		for i := range o.Used {
			o.Used[i] = r.f32()
		}
	}
	if r.err == nil && o.check(k) != nil {
		r.fail()
	}
	return o
}

func (r *reader) calibration(k int) Calibration {
	c := Calibration{Rater: r.text(MaxRater), TPR: r.finite(), FPR: r.finite(), DocFPR: make([]float32, k)}
	for i := range c.DocFPR {
		c.DocFPR[i] = r.finite32()
	}
	return c
}

func (c *Check) appendTo(b []byte) []byte {
	b = binary.LittleEndian.AppendUint16(b, c.Class)
	return appendF32(appendF32(b, c.Fooled), c.Caught)
}

func (r *reader) check() Check {
	return Check{Class: r.u16(), Fooled: r.amount(), Caught: r.amount()}
}

func (e *Event) appendBare(b []byte) []byte {
	for _, x := range e.amounts() {
		b = appendF32(b, *x)
	}
	b = appendF32(b, e.Attribution)
	for _, a := range e.Actors {
		b = binary.LittleEndian.AppendUint16(b, a)
	}
	return binary.LittleEndian.AppendUint16(b, e.Class)
}

func (e *Event) decodeBare(in *reader) {
	for _, x := range e.amounts() {
		*x = in.amount()
	}
	e.Attribution = in.f32()
	for i := range e.Actors {
		e.Actors[i] = in.u16()
	}
	e.Class = in.u16()
}

// finite32 reads a finite number.
func (r *reader) finite32() float32 {
	x := r.f32()
	if !(math.Abs(float64(x)) <= math.MaxFloat32) {
		r.fail()
		return 0
	}
	return x
}
