"""Where the chapter's figures are exact; below each stands the module that it rests on."""

RULES = (
    "From the limit of stage 1 on, for each of the four rules, if partial fine-tuning starts from the memory of "
    "Lemma 1 and all six relations. The query and EoS then have no attention and get none back."
)
"""``lib.recall.escape``."""
READING = (
    "Everywhere for a detector whose start treats all irrelevant words of a type alike, none of which stands in two "
    "places, and for a memory with orthogonal embeddings: 236 numbers then describe the detector."
)
"""``lib.recognise.orbit``, ``lib.together.reading``."""
RELAXED = (
    "Everywhere: renaming the words exchanges the 36 prompts, so one stands for all of them. With noisy labels the run "
    "trains on the mean over which labels are wrong."
)
"""``book.together.relaxed_recall.program``."""
RELAXED_WORDS = (
    "Everywhere, from a start in which exchangeable words and coordinates are alike: 1,435 numbers then describe the "
    "model. With Adam the start lies along coordinates."
)
"""``book.together.relaxed_recognise.program``."""
RELAXED_FACTS = (
    "Everywhere: embeddings are orthogonal, so a neuron is its products with the tokens, and a prompt needs those of "
    "its own tokens alone. All weights of the model are trained."
)
"""``book.together.relaxed_acquire.model``."""
STORED = (
    "Everywhere for orthogonal embeddings and the activation x², if attention has filtered the statements. Of the "
    "trained memory only the correlations of its tokens matter to recall, and these are followed as they are."
)
"""``lib.together.lookup``, ``lib.together.memory``."""
