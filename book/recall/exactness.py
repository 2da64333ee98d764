"""Where the chapter's figures are exact; below each stands the module that it rests on."""

PARTIAL = (
    "with orthonormal embeddings and Lemma 1's memory, if only attention from EoS and the relation is trained"
)
"""The paper's own setting, partial fine-tuning."""
SCORES = (
    f"Everywhere {PARTIAL}. Then every prompt is attended alike, and six scores in the first decoding step and seven "
    "in the second take the steps of the whole transformer."
)
"""``lib.recall.reduction``."""
SADDLE = (
    f"From the limit of stage 1 on, {PARTIAL} and all relations of the affine family are stored. The query and EoS "
    "then have no attention and get none back; four scores take the steps of the whole transformer."
)
"""``lib.recall.escape``."""
LOGITS = "Everywhere with orthonormal embeddings and the memory of Lemma 1: nothing is trained or left out."
"""``lib.recall.logits``."""
MEMORY = (
    "Everywhere, if all embeddings have the same length and the same cosine with each other: every score of the memory "
    "then follows from counting tokens."
)
"""``lib.recall.memory``."""
TASK = (
    "The curves are the laws of distinct relations drawn at random. Only where a sum has more than 96 terms is it "
    "taken at three points. Up to 8 subjects and 120 relations one set is drawn, and all its prompts are counted."
)
"""``lib.recall.ceiling``, ``lib.recall.pools``."""
PROMPTS = (
    f"Everywhere {PARTIAL}: of a prompt, training sees only how many relations match which of its pairs. Relations are "
    "kept independently of one another, which differs from a set of fixed size by a part of about 1/n²."
)
"""``lib.recall.sampler``."""
DRAWN = f"{PROMPTS} Numbers that are above 24 in the mean are drawn from the normal law, and rounded."
"""``lib.recall.sampler``."""
LARGE = (
    f"{PROMPTS} For the mean over all prompts, the relations that match one pair or none are taken at their mean "
    "number, about which they vary by a part of about 1/√(ρn), with ρ the share of the affine relations."
)
"""``lib.recall.general``."""
DECODING = (
    f"Everywhere {PARTIAL}, once the relation is decoded correctly: all prompts then have the same loss, for any "
    "number of subjects."
)
"""``lib.recall.decoding``."""
MASSES = (
    f"Once the query and EoS have no attention, {PARTIAL}, and for families that fix a relation by exactly t pairs. "
    "The predicted masses are a limit, for T → 0."
)
"""``lib.recall.more_examples``."""
